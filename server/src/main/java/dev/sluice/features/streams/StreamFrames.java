package dev.sluice.features.streams;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sluice.platform.http.ServerSentEvent;
import dev.sluice.platform.json.Json;
import dev.sluice.platform.json.JsonObject;

import java.io.ByteArrayOutputStream;

/// Collects the messages that a stream writes next.
final class StreamFrames {

    private static final int RETRY_MILLIS = 2_000;

    /// The processor time that it takes to copy and send one byte of a message, estimated from
    /// measurements. The kernel uses most of this time.
    private static final long COPY_NANOS_PER_BYTE = 1;

    /// The estimated processor time that it takes to build a message, not counting the time for
    /// each of its bytes. A benchmark that builds one message after another takes a tenth of this,
    /// but busy processors with cold caches take much longer.
    private static final long BUILD_NANOS_PER_MESSAGE = 9_000;

    private static final long BUILD_NANOS_PER_BYTE = 3;

    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

    /// An estimate of the processor time that it took to build the messages in [#bytes], not
    /// counting messages that another stream had already built.
    private long buildNanos;

    /// Adds a line that tells the client how long to wait before it reconnects.
    StreamFrames retry() {
        return text("retry: " + RETRY_MILLIS + "\n");
    }

    /// Adds a message whose id is the cursor after the message.
    StreamFrames event(String name, String cursor, byte[] json) {
        return message(ServerSentEvent.bytes(name, cursor, json), true);
    }

    /// Adds a message without an id, which does not move the client's cursor.
    StreamFrames event(String name, JsonObject json) {
        return message(ServerSentEvent.bytes(name, Json.bytes(json)), true);
    }

    /// Adds a complete message.
    ///
    /// @param isFreshlyBuilt whether the message has just been built, so that this stream is
    ///   charged for building it
    StreamFrames message(byte[] message, boolean isFreshlyBuilt) {
        bytes.writeBytes(message);
        if (isFreshlyBuilt) {
            buildNanos += BUILD_NANOS_PER_MESSAGE + message.length * BUILD_NANOS_PER_BYTE;
        }
        return this;
    }

    /// Adds a heartbeat: a comment with the cursor as its id. A client that also reads ids outside
    /// of messages can use it to move its cursor.
    StreamFrames heartbeat(StreamCursor cursor) {
        return text("id: " + cursor.text() + "\n: alive\n\n");
    }

    private StreamFrames text(String text) {
        return message(text.getBytes(UTF_8), true);
    }

    /// Returns the estimated processor time, in nanoseconds, that it takes to build and send the
    /// messages added since the last call to [#take]. The time that filters and transformations
    /// take is not included.
    long estimatedNanos() {
        return size() * COPY_NANOS_PER_BYTE + buildNanos;
    }

    int size() {
        return bytes.size();
    }

    /// Removes and returns everything added since the last call.
    byte[] take() {
        byte[] taken = bytes.toByteArray();
        bytes.reset();
        buildNanos = 0;
        return taken;
    }
}
