package dev.sluice.observe.stream;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sluice.observe.feed.StreamCursor;
import dev.sluice.platform.http.ServerSentEvent;
import dev.sluice.platform.json.Json;
import dev.sluice.platform.json.JsonObject;

import java.io.ByteArrayOutputStream;

/// Collects the messages that a stream writes next.
final class StreamFrames {

    private static final int RETRY_MILLIS = 2_000;

    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

    /// Adds the time that the client should wait before it reconnects.
    StreamFrames retry() {
        return text("retry: " + RETRY_MILLIS + "\n");
    }

    /// Adds a message with an id: the cursor after the message.
    StreamFrames event(String name, String cursor, byte[] json) {
        return message(ServerSentEvent.bytes(name, cursor, json));
    }

    /// Adds a message without an id, which does not move the client's cursor.
    StreamFrames event(String name, JsonObject json) {
        return message(ServerSentEvent.bytes(name, Json.bytes(json)));
    }

    /// Adds a complete message.
    StreamFrames message(byte[] message) {
        bytes.writeBytes(message);
        return this;
    }

    /// Adds a heartbeat: a comment with the cursor as its id. A client that also reads ids outside
    /// of messages can use it to move its cursor.
    StreamFrames heartbeat(StreamCursor cursor) {
        return text("id: " + cursor.text() + "\n: alive\n\n");
    }

    private StreamFrames text(String text) {
        return message(text.getBytes(UTF_8));
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
