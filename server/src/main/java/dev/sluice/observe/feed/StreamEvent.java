package dev.sluice.observe.feed;

import dev.sluice.observe.events.EventSummary;
import dev.sluice.observe.events.PayloadJson;
import dev.sluice.platform.json.Json;
import dev.sluice.relay.Payload;

import org.jspecify.annotations.Nullable;

import java.util.Optional;
import java.util.UUID;

/// An event that is sent to one or more streams, which share this object. It builds each kind of
/// JSON, and the text of the cursor after it, only once, unless two streams ask for it at the same
/// time. Thread-safe.
public final class StreamEvent implements StreamItem {

    /// The memory that an event takes in a queue, with its JSON and its cursor's text, but without
    /// its payload.
    private static final int OVERHEAD_BYTES = 1_500;

    private record CursorText(StreamCursor start, String text) {}

    private final EventSummary summary;
    private final long xid;
    private final @Nullable Payload payload;
    private final Optional<String> credential;
    private volatile @Nullable CursorText cursorText;
    private volatile byte @Nullable [] tailJson;
    private volatile byte @Nullable [] fullJson;

    /// @param xid the number of the transaction that stored the event
    /// @param payload null if no stream needs it
    /// @param credential the name of the header whose value is masked
    StreamEvent(
            EventSummary summary,
            long xid,
            @Nullable Payload payload,
            Optional<String> credential) {
        this.summary = summary;
        this.xid = xid;
        this.payload = payload;
        this.credential = credential;
    }

    StreamEvent with(Payload loaded, Optional<String> credentialHeader) {
        return new StreamEvent(summary, xid, loaded, credentialHeader);
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

    public Payload payload() {
        if (payload == null) {
            throw new IllegalStateException("the payload was not read");
        }
        return payload;
    }

    @Override
    public int memoryBytes() {
        // As JSON, a payload takes about twice its size, because headers are shown in two forms.
        return OVERHEAD_BYTES + (payload == null ? 0 : 3 * payload.memoryBytes());
    }

    /// Returns the metadata as JSON.
    public byte[] tailJson() {
        byte @Nullable [] json = tailJson;
        if (json == null) {
            json = Json.bytes(summary.json());
            tailJson = json;
        }
        return json;
    }

    /// Returns the metadata and the payload as JSON.
    public byte[] fullJson() {
        byte @Nullable [] json = fullJson;
        if (json == null) {
            json = Json.bytes(summary.json().putAll(PayloadJson.of(payload(), credential)));
            fullJson = json;
        }
        return json;
    }
}
