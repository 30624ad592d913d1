package dev.sluice.relay.ingest;

import dev.sluice.gateway.source.ResponseConfig;
import dev.sluice.gateway.source.Source;
import dev.sluice.gateway.source.VerificationConfig;
import dev.sluice.platform.http.ErrorStatus;
import dev.sluice.platform.http.Header;
import dev.sluice.platform.http.Reply;
import dev.sluice.relay.EventId;

import java.util.List;
import java.util.Set;

/// What the sender of a stored event is answered.
final class Answers {

    private static final String REQUEST_ID = "{{request_id}}";
    private static final String JSON = "application/json; charset=utf-8";
    private static final String TEXT = "text/plain; charset=utf-8";

    /// Whatever is answered here shares an origin with the API, so no browser may run it.
    private static final Header SANDBOX =
            new Header("Content-Security-Policy", "default-src 'none'; sandbox");

    /// Of the answer to nearly every webhook.
    private static final List<Header> ACCEPTED = List.of(new Header("Content-Type", JSON), SANDBOX);

    /// These end without a body, whatever is configured (RFC 9110, 15.3.5, 15.3.6 and 15.4.5).
    private static final Set<Integer> BODILESS = Set.of(204, 205, 304);

    private Answers() {}

    static Reply guarded(Reply reply) {
        return reply.with(List.of(SANDBOX));
    }

    static Reply of(Source source, Screening.Screened screened, EventId id) {
        if (screened.checked().isFailed()) {
            return guarded(unverified(source.verification()));
        }
        return screened.handshake()
                .or(() -> source.response().map(response -> configured(response, id)))
                .map(Answers::guarded)
                .orElseGet(() -> accepted(id));
    }

    /// The same for every reason: a sender who guesses learns nothing from it.
    private static Reply unverified(VerificationConfig config) {
        var reply =
                Reply.error(
                        ErrorStatus.VERIFICATION_FAILED,
                        "The request could not be verified.",
                        List.of());
        return config instanceof VerificationConfig.BasicAuth
                ? reply.with("WWW-Authenticate", "Basic realm=\"webhooks\", charset=\"UTF-8\"")
                : reply;
    }

    /// An interim status ends nothing: the sender would wait on (RFC 9110, 15.2).
    private static Reply configured(ResponseConfig response, EventId id) {
        int status = response.status() < 200 ? 200 : response.status();
        if (BODILESS.contains(status)) {
            return Reply.empty(status);
        }
        return Reply.text(
                status,
                switch (response.type()) {
                    case JSON -> JSON;
                    case TEXT -> TEXT;
                },
                response.body().replace(REQUEST_ID, id.toString()));
    }

    private static Reply accepted(EventId id) {
        // Written out: it is the answer to every webhook, and nothing in it needs escaping.
        return Reply.text(
                200,
                ACCEPTED,
                "{\"status\":\"SUCCESS\",\"message\":\"Event accepted\",\"request_id\":\""
                        + id
                        + "\"}");
    }
}
