package dev.sluice.engine.accept;

import dev.sluice.platform.http.ApiErrorCode;
import dev.sluice.platform.http.ApiException;
import dev.sluice.platform.http.Reply;
import dev.sluice.platform.http.Request;

import java.util.Optional;

/// Answers GET and HEAD requests to an ingest URL. Echoes a subscription challenge. Any other
/// request gets a fixed HTML page, which contains no event data.
///
/// A challenge is sent in one of two parameters: `hub.challenge`, if `hub.mode` is `subscribe`
/// (specified in WebSub, section "Hub Verifies Intent of the Subscriber"), or `challenge`, which
/// Dropbox uses.
final class IngestGetResponder {

    private static final String INFO_PAGE_HTML =
            """
            <!doctype html>
            <html lang="en">
            <head><meta charset="utf-8"><title>Webhook ingest URL</title></head>
            <body>
            <h1>This is a webhook ingest URL</h1>
            <p>It accepts webhooks sent with POST, PUT, PATCH or DELETE. Nothing can be read here.</p>
            </body>
            </html>
            """;

    private IngestGetResponder() {}

    static Reply answer(Request request) {
        return challenge(request)
                .map(IngestGetResponder::echo)
                .orElseGet(() ->
                        Reply.text(200, "text/html; charset=utf-8", INFO_PAGE_HTML)
                                .with("X-Robots-Tag", "noindex"));
    }

    private static Optional<String> challenge(Request request) {
        var mode = request.parameter("hub.mode");
        if (mode.isPresent()) {
            return mode.filter("subscribe"::equals)
                    .flatMap(_ -> request.parameter("hub.challenge"));
        }
        return request.parameter("challenge");
    }

    /// Echoes the challenge as plain text. The sender chose the text, so a browser must not
    /// interpret the reply as anything else.
    private static Reply echo(String challenge) {
        if (challenge.length() > ChallengeResponder.MAX_CHALLENGE_CHARS) {
            throw new ApiException(
                    ApiErrorCode.MALFORMED_REQUEST,
                    "The challenge is longer than "
                            + ChallengeResponder.MAX_CHALLENGE_CHARS
                            + " characters.");
        }
        return Reply.text(200, "text/plain; charset=utf-8", challenge)
                .with("Cache-Control", "no-store");
    }
}
