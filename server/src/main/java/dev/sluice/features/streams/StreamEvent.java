package dev.sluice.features.streams;

import dev.sluice.engine.Payload;
import dev.sluice.history.events.EventSummary;
import dev.sluice.history.events.PayloadJson;
import dev.sluice.platform.http.ServerSentEvent;
import dev.sluice.platform.json.Json;
import dev.sluice.platform.json.JsonObject;

import org.jspecify.annotations.Nullable;

import java.util.Optional;
import java.util.UUID;
import java.util.function.Supplier;

/// An event that is sent to one or more streams, which share this object. Each kind of message
/// about the event is built only once, unless two streams request it at the same time or with
/// different `start` cursors. Thread-safe.
public final class StreamEvent implements StreamItem {

    /// The name of the messages that contain an event.
    public static final String MESSAGE_NAME = "event";

    /// The memory that an event takes up in a queue, including its messages but not its type or
    /// payload.
    private static final int OVERHEAD_BYTES = 2_000;

    /// Each character of the event's type takes up to two bytes as text and up to three in a
    /// message.
    private static final int MAX_BYTES_OF_CHARACTER = 5;

    /// A message about the event, shared by the streams that send it.
    public static final class SharedMessage {

        private final StreamCursor start;
        private final byte[] bytes;
        private final boolean isFreshlyBuilt;

        /// @param start a cursor within the event's round
        private SharedMessage(StreamCursor start, byte[] bytes, boolean isFreshlyBuilt) {
            this.start = start;
            this.bytes = bytes;
            this.isFreshlyBuilt = isFreshlyBuilt;
        }

        /// Returns the bytes to send. The caller must not change them.
        public byte[] bytes() {
            return bytes;
        }

        /// Returns whether the call that returned this message also built it. If not, an earlier
        /// call did.
        public boolean isFreshlyBuilt() {
            return isFreshlyBuilt;
        }
    }

    /// Builds one kind of message about the event, and keeps the last one for the next streams.
    private final class MessageSlot {

        private volatile @Nullable SharedMessage last;

        SharedMessage get(StreamCursor start, Supplier<JsonObject> json) {
            @Nullable SharedMessage known = last;
            if (known != null && known.start.equals(start)) {
                return known;
            }
            byte[] bytes =
                    ServerSentEvent.bytes(MESSAGE_NAME, cursorText(start), Json.bytes(json.get()));
            last = new SharedMessage(start, bytes, false);
            return new SharedMessage(start, bytes, true);
        }
    }

    /// The result of reading an event's payload.
    private sealed interface ReadPayload {

        int memoryBytes();

        /// No stream needs the payload, so it was not read.
        record NoPayload() implements ReadPayload {
            @Override
            public int memoryBytes() {
                return 0;
            }
        }

        /// The stored payload is damaged.
        record DamagedPayload() implements ReadPayload {
            @Override
            public int memoryBytes() {
                return 0;
            }
        }

        /// @param credential the name of the header whose value is masked
        record ReadablePayload(Payload payload, Optional<String> credential)
                implements ReadPayload {

            /// Counts the payload and its message. The message is about twice as large as the
            /// payload, because it contains the headers in two forms.
            @Override
            public int memoryBytes() {
                return 3 * payload.memoryBytes();
            }
        }
    }

    private final EventSummary summary;
    private final Optional<String> type;
    private final long xid;
    private final ReadPayload payload;

    /// The version of this event for streams that do not need the payload, or null if this object
    /// is that version.
    private final @Nullable StreamEvent metadata;

    private final MessageSlot tailMessage = new MessageSlot();
    private final MessageSlot fullMessage = new MessageSlot();

    private StreamEvent(
            EventSummary summary,
            Optional<String> type,
            long xid,
            ReadPayload payload,
            @Nullable StreamEvent metadata) {
        this.summary = summary;
        this.type = type;
        this.xid = xid;
        this.payload = payload;
        this.metadata = metadata;
    }

    /// Creates an event for streams that do not need its payload.
    ///
    /// @param type the type that the sender gave the event, if any
    /// @param xid the id of the transaction that stored the event
    static StreamEvent withoutPayload(EventSummary summary, Optional<String> type, long xid) {
        return new StreamEvent(summary, type, xid, new ReadPayload.NoPayload(), null);
    }

    /// @param credential the name of the header whose value is masked
    StreamEvent with(Payload read, Optional<String> credential) {
        return new StreamEvent(
                summary,
                type,
                xid,
                new ReadPayload.ReadablePayload(read, credential),
                withoutPayload());
    }

    /// Returns this event, marked as having a damaged payload, for streams that need the payload.
    StreamEvent withUnreadablePayload() {
        return new StreamEvent(
                summary, type, xid, new ReadPayload.DamagedPayload(), withoutPayload());
    }

    /// Returns this event for streams that do not need its payload. These streams share the
    /// returned object, which keeps no payload in memory.
    StreamEvent withoutPayload() {
        return metadata == null ? this : metadata;
    }

    public EventSummary summary() {
        return summary;
    }

    @Override
    public UUID id() {
        return summary.id().value();
    }

    long xid() {
        return xid;
    }

    /// Returns the payload, or empty if the stored payload is damaged.
    ///
    /// @throws IllegalStateException if the payload was not read
    public Optional<Payload> payload() {
        return switch (payload) {
            case ReadPayload.NoPayload() ->
                    throw new IllegalStateException("the payload was not read");
            case ReadPayload.DamagedPayload() -> Optional.empty();
            case ReadPayload.ReadablePayload(var read, _) -> Optional.of(read);
        };
    }

    @Override
    public int memoryBytes() {
        return OVERHEAD_BYTES
                + MAX_BYTES_OF_CHARACTER * type.map(String::length).orElse(0)
                + payload.memoryBytes();
    }

    /// Returns the fields that every message about the event contains.
    public JsonObject json() {
        return summary.json().put("event_type", type);
    }

    /// Returns the message that shows the metadata.
    ///
    /// @param start a cursor within the event's round
    public SharedMessage tailMessage(StreamCursor start) {
        if (metadata != null) {
            return metadata.tailMessage(start);
        }
        return tailMessage.get(start, this::json);
    }

    /// Returns the message that shows the metadata and the payload. If the stored payload is
    /// damaged, the message has `payload_unreadable` instead of the payload.
    ///
    /// @param start a cursor within the event's round
    public SharedMessage fullMessage(StreamCursor start) {
        return fullMessage.get(start, () -> json().putAll(payloadJson()));
    }

    private JsonObject payloadJson() {
        return switch (payload) {
            case ReadPayload.NoPayload() ->
                    throw new IllegalStateException("the payload was not read");
            case ReadPayload.DamagedPayload() -> new JsonObject().put("payload_unreadable", true);
            case ReadPayload.ReadablePayload(var read, var credential) ->
                    PayloadJson.of(read, credential);
        };
    }
}
