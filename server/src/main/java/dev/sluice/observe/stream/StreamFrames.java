package dev.sluice.observe.stream;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sluice.observe.feed.StreamCursor;
import dev.sluice.platform.json.Json;
import dev.sluice.platform.json.JsonObject;

import java.io.ByteArrayOutputStream;

/// Builds the text of Server-Sent Events. The data of each message is one line of JSON.
final class StreamFrames {

    private static final int RETRY_MILLIS = 2_000;
    private static final byte[] DATA = "data: ".getBytes(UTF_8);
    private static final byte[] END = "\n\n".getBytes(UTF_8);

    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

    /// Adds the time that the client should wait before it reconnects.
    StreamFrames retry() {
        return text("retry: " + RETRY_MILLIS + "\n");
    }

    /// Adds a message with an id: the cursor after the message.
    StreamFrames event(String name, String cursor, byte[] json) {
        return text("id: " + cursor + "\n").event(name, json);
    }

    /// Adds a message without an id, which does not move the client's cursor.
    StreamFrames event(String name, JsonObject json) {
        return event(name, Json.bytes(json));
    }

    private StreamFrames event(String name, byte[] json) {
        text("event: " + name + "\n");
        bytes.writeBytes(DATA);
        bytes.writeBytes(json);
        bytes.writeBytes(END);
        return this;
    }

    /// Adds a heartbeat: a comment with the cursor as its id. A client that also reads ids outside
    /// of messages can use it to move its cursor.
    StreamFrames heartbeat(StreamCursor cursor) {
        return text("id: " + cursor.text() + "\n: alive\n\n");
    }

    private StreamFrames text(String text) {
        bytes.writeBytes(text.getBytes(UTF_8));
        return this;
    }

    int size() {
        return bytes.size();
    }

    /// Returns the text added since the last call.
    byte[] take() {
        byte[] taken = bytes.toByteArray();
        bytes.reset();
        return taken;
    }
}
