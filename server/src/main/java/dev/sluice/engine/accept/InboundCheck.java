package dev.sluice.engine.accept;

import dev.sluice.engine.EventVerification;
import dev.sluice.gateway.source.Source;
import dev.sluice.gateway.source.VerificationConfig;
import dev.sluice.platform.http.Header;
import dev.sluice.platform.http.HeaderSyntax;
import dev.sluice.platform.http.Reply;
import dev.sluice.platform.secret.Secret;

import java.util.List;
import java.util.Optional;

/// Verifies an inbound request before it is stored, masks the credential in its headers, and
/// answers challenges.
public final class InboundCheck {

    /// The result of a check.
    ///
    /// @param headers the headers to store, with the source's credential masked
    /// @param challengeReply the reply if the request is a challenge, which a sender uses to
    ///   confirm the URL; empty otherwise. A challenge is not delivered to any destination
    record InboundCheckResult(
            EventVerification checked, List<Header> headers, Optional<Reply> challengeReply) {

        boolean isForwarded() {
            return !checked.isFailed() && challengeReply.isEmpty();
        }
    }

    private final String baseUrl;
    private final String hopHeader;

    /// @param baseUrl the public base URL that senders use; it comes from the configuration and
    ///   never from the request
    /// @param hopHeader the header that counts the relays a webhook has passed through (see
    ///   [dev.sluice.engine.LoopDetector]); it is never masked, so that the count is not lost
    public InboundCheck(String baseUrl, String hopHeader) {
        this.baseUrl = baseUrl;
        this.hopHeader = hopHeader;
    }

    String hopHeader() {
        return hopHeader;
    }

    InboundCheckResult check(Source source, InboundWebhook webhook) {
        var config = source.verification();
        if (config instanceof VerificationConfig.NoVerification) {
            return new InboundCheckResult(
                    EventVerification.SKIPPED, webhook.headers(), Optional.empty());
        }
        var inbound =
                new InboundRequest(
                        webhook.headers(),
                        webhook.body(),
                        webhook.headReadAt(),
                        baseUrl + webhook.pathQuery());
        var result = Verifier.check(config, inbound);
        return new InboundCheckResult(
                result.toEventVerification(),
                maskCredential(config, webhook.headers()),
                ChallengeResponder.answer(config, result, webhook.body()));
    }

    private List<Header> maskCredential(VerificationConfig config, List<Header> headers) {
        return config.credentialHeader()
                .filter(name -> !HeaderSyntax.isSameFolded(name, hopHeader))
                .map(name -> maskHeader(name, headers))
                .orElse(headers);
    }

    private static List<Header> maskHeader(String name, List<Header> headers) {
        return headers.stream()
                .map(header ->
                        HeaderSyntax.isSameFolded(header.name(), name)
                                ? new Header(header.name(), Secret.MASK)
                                : header)
                .toList();
    }
}
