package dev.sluice.engine.accept;

import dev.sluice.engine.EventId;
import dev.sluice.gateway.source.ResponseConfig;
import dev.sluice.gateway.source.Source;
import dev.sluice.gateway.source.VerificationConfig;
import dev.sluice.platform.http.ApiErrorCode;
import dev.sluice.platform.http.ApiException;
import dev.sluice.platform.http.Header;
import dev.sluice.platform.http.Reply;

import java.util.List;
import java.util.Set;

/// Builds the replies to the senders of webhooks.
final class IngestReplies {

    private static final String REQUEST_ID_PLACEHOLDER = "{{request_id}}";
    private static final String JSON_CONTENT_TYPE = "application/json; charset=utf-8";
    private static final String TEXT_CONTENT_TYPE = "text/plain; charset=utf-8";

    /// Keeps browsers from running scripts in ingest replies, which have the same origin as the
    /// API.
    private static final Header SANDBOX_HEADER =
            new Header("Content-Security-Policy", "default-src 'none'; sandbox");

    /// The headers of the default reply to an accepted webhook.
    private static final List<Header> ACCEPTED_HEADERS =
            List.of(new Header("Content-Type", JSON_CONTENT_TYPE), SANDBOX_HEADER);

    /// Statuses that never have a body, whatever the source configures (RFC 9110, sections 15.3.5,
    /// 15.3.6 and 15.4.5).
    private static final Set<Integer> BODILESS_STATUSES = Set.of(204, 205, 304);

    private IngestReplies() {}

    static Reply sandboxed(Reply reply) {
        return reply.with(List.of(SANDBOX_HEADER));
    }

    static Reply of(Source source, InboundCheck.InboundCheckResult checkResult, EventId id) {
        if (checkResult.checked().isFailed()) {
            return sandboxed(unverified(source.verification()).reply());
        }
        return checkResult
                .challengeReply()
                .or(() -> source.response().map(response -> configured(response, id)))
                .map(IngestReplies::sandboxed)
                .orElseGet(() -> accepted(id));
    }

    /// Returns the same error for every cause of a failed verification, so that an attacker cannot
    /// learn the cause. It is also the same whether the event was stored or only counted.
    static ApiException unverified(VerificationConfig config) {
        var error =
                new ApiException(
                        ApiErrorCode.VERIFICATION_FAILED, "The request could not be verified.");
        return config instanceof VerificationConfig.BasicAuthVerification
                ? error.withHeader(
                        new Header(
                                "WWW-Authenticate", "Basic realm=\"webhooks\", charset=\"UTF-8\""))
                : error;
    }

    /// Returns the reply that the source configures. Replaces a 1xx status with 200, because the
    /// sender would otherwise wait for a final status (RFC 9110, section 15.2).
    private static Reply configured(ResponseConfig response, EventId id) {
        int status = response.status() < 200 ? 200 : response.status();
        if (BODILESS_STATUSES.contains(status)) {
            return Reply.empty(status);
        }
        return Reply.text(
                status,
                switch (response.type()) {
                    case JSON -> JSON_CONTENT_TYPE;
                    case TEXT -> TEXT_CONTENT_TYPE;
                },
                response.body().replace(REQUEST_ID_PLACEHOLDER, id.toString()));
    }

    private static Reply accepted(EventId id) {
        // The text is concatenated for speed: this is the reply to most webhooks. No part of it
        // needs escaping.
        return Reply.text(
                200,
                ACCEPTED_HEADERS,
                "{\"status\":\"SUCCESS\",\"message\":\"Event accepted\",\"request_id\":\""
                        + id
                        + "\"}");
    }
}
