package dev.sluice.relay.ingest;

import dev.sluice.platform.http.ApiException;
import dev.sluice.platform.http.ErrorStatus;
import dev.sluice.platform.http.Reply;
import dev.sluice.platform.http.Request;

import java.util.Optional;

/// What a GET on an ingest URL answers: a plain page, never anything of an event, or the echo that
/// subscription protocols ask for (WebSub, "Hub Verifies Intent of the Subscriber"; Dropbox, which
/// sends `challenge` alone).
final class InfoPage {

    private static final int MOST_CHALLENGE = 2048;

    private static final String PAGE =
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

    private InfoPage() {}

    static Reply answer(Request request) {
        return challenge(request)
                .map(InfoPage::echo)
                .orElseGet(() ->
                        Reply.text(200, "text/html; charset=utf-8", PAGE)
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

    /// The text is the sender's, so it must never be taken for anything but text.
    private static Reply echo(String challenge) {
        if (challenge.length() > MOST_CHALLENGE) {
            throw new ApiException(
                    ErrorStatus.MALFORMED_REQUEST,
                    "The challenge is longer than " + MOST_CHALLENGE + " characters.");
        }
        return Reply.text(200, "text/plain; charset=utf-8", challenge)
                .with("Cache-Control", "no-store");
    }
}
