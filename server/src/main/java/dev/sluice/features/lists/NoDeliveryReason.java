package dev.sluice.features.lists;

import dev.sluice.engine.LoopDetector;
import dev.sluice.engine.Payload;
import dev.sluice.gateway.source.VerificationConfig;
import dev.sluice.gateway.source.VerificationStatus;
import dev.sluice.history.events.EventSummary;

import java.util.List;
import java.util.Optional;
import java.util.function.BiPredicate;

/// Explains in a sentence why an event has no deliveries.
///
/// @param hopHeader the name of the header that counts the relays that a webhook has passed through
/// @param isChallenge returns whether a verified request is a challenge, which a sender sends only
///   to check that the URL is correct. Its arguments are the verification settings of the request's
///   source, and the body of the request
record NoDeliveryReason(String hopHeader, BiPredicate<VerificationConfig, byte[]> isChallenge) {

    /// @param payload empty if the payload is damaged
    /// @param config the current verification settings of the event's source, or empty if they are
    ///   not known
    String of(EventSummary event, Optional<Payload> payload, Optional<VerificationConfig> config) {
        if (event.verification().isFailed()) {
            return "Nothing was sent: the webhook failed its source's verification.";
        }
        var headers = payload.map(Payload::headers).orElse(List.of());
        if (LoopDetector.isInLoop(headers, hopHeader)) {
            return "Nothing was sent: the webhook had passed %d relays, so it is probably in a loop."
                    .formatted(LoopDetector.countHops(headers, hopHeader));
        }
        if (event.verification().status() == VerificationStatus.VERIFIED
                && config.isPresent()
                && payload.filter(read -> isChallenge.test(config.get(), read.body()))
                        .isPresent()) {
            return "Nothing was sent: the webhook only asked whether the URL is right.";
        }
        return "Nothing was sent: the source had no enabled connection when the webhook arrived.";
    }
}
