package dev.sluice.relay.ingest;

import dev.sluice.platform.http.Reply;
import dev.sluice.platform.http.Request;

/// What a GET on an ingest URL answers: a plain page, never anything of an event, or the echo that
/// subscription protocols ask for (WebSub, "Hub Verifies Intent of the Subscriber").
final class InfoPage {

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
        boolean subscribes = request.parameter("hub.mode").filter("subscribe"::equals).isPresent();
        var challenge = request.parameter("hub.challenge");
        if (subscribes && challenge.isPresent()) {
            return Reply.text(200, "text/plain; charset=utf-8", challenge.get());
        }
        return Reply.text(200, "text/html; charset=utf-8", PAGE).with("X-Robots-Tag", "noindex");
    }
}
