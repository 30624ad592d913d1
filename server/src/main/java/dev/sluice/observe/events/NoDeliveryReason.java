package dev.sluice.observe.events;

import dev.sluice.platform.http.Header;
import dev.sluice.relay.EventVerification;
import dev.sluice.relay.HopCount;
import dev.sluice.relay.VerificationStatus;

import java.util.List;

/// Says in a sentence why an event has no deliveries.
final class NoDeliveryReason {

    private static final String NO_CONNECTION =
            "Nothing was sent: the source had no enabled connection when the webhook arrived";

    private NoDeliveryReason() {}

    /// @param hopHeader the name of the header that counts relays
    static String of(EventVerification verification, List<Header> headers, String hopHeader) {
        if (verification.isFailed()) {
            return "Nothing was sent: the webhook failed its source's verification.";
        }
        if (HopCount.isExceeded(headers, hopHeader)) {
            return "Nothing was sent: the webhook had passed %d relays, so it is probably in a loop."
                    .formatted(HopCount.parse(headers, hopHeader));
        }
        // Only sources with verification answer the senders that ask whether the URL is right.
        return verification.status() == VerificationStatus.VERIFIED
                ? NO_CONNECTION + ", or it only asked whether the URL is right."
                : NO_CONNECTION + ".";
    }
}
