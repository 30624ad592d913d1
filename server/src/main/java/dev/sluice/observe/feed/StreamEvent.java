package dev.sluice.observe.feed;

import dev.sluice.observe.events.EventSummary;
import dev.sluice.observe.events.PayloadJson;
import dev.sluice.platform.json.Json;
import dev.sluice.platform.json.JsonObject;
import dev.sluice.relay.Payload;

import org.jspecify.annotations.Nullable;

import java.util.Optional;
import java.util.UUID;

/// An event that is sent to one or more streams, which share this object. Each kind of JSON, and
/// the text of the cursor after the event, is built only once, unless two streams ask for it at the
/// same time. Thread-safe.
public final class StreamEvent implements StreamItem {

    /// The memory that an event takes in a queue, with its JSON and its cursor's text, but without
    /// its payload.
    private static final int OVERHEAD_BYTES = 1_500;

    /// A character of the event's type takes up to two bytes as text, and up to three in the JSON.
    private static final int MAX_BYTES_OF_CHARACTER = 5;

    private record CursorText(StreamCursor start, String text) {}

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

            /// Counts the payload and its JSON. The JSON is about twice as large as the payload,
            /// because it contains the headers in two forms.
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

    /// The event for streams that do not need the payload, or null if this object is that event.
    private final @Nullable StreamEvent metadata;

    private volatile @Nullable CursorText cursorText;
    private volatile byte @Nullable [] tailJson;
    private volatile byte @Nullable [] fullJson;

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
    /// @param xid the number of the transaction that stored the event
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

    @Override
    public String cursorText(StreamCursor start) {
        if (metadata != null) {
            return metadata.cursorText(start);
        }
        @Nullable CursorText known = cursorText;
        if (known == null || !known.start().equals(start)) {
            known = new CursorText(start, StreamItem.super.cursorText(start));
            cursorText = known;
        }
        return known.text();
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

    /// Returns the metadata as JSON.
    public byte[] tailJson() {
        if (metadata != null) {
            return metadata.tailJson();
        }
        byte @Nullable [] json = tailJson;
        if (json == null) {
            json = Json.bytes(json());
            tailJson = json;
        }
        return json;
    }

    /// Returns the metadata and the payload as JSON. If the stored payload is damaged, the JSON has
    /// `payload_unreadable` instead of the payload.
    public byte[] fullJson() {
        byte @Nullable [] json = fullJson;
        if (json == null) {
            json = Json.bytes(json().putAll(payloadJson()));
            fullJson = json;
        }
        return json;
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
