package dev.sluice.observe.stream;

import dev.sluice.account.access.Caller;
import dev.sluice.gateway.source.SourceId;

import org.jspecify.annotations.Nullable;

import java.util.Optional;
import java.util.Set;

/// The place of one open stream. Closing it gives the place back. Thread-safe.
final class StreamLease implements AutoCloseable {

    private final OpenStreams streams;
    private final Caller caller;
    private final Set<SourceId> sources;
    private volatile @Nullable StreamEnd end;

    /// @param sources the stream ends when one of these is gone
    StreamLease(OpenStreams streams, Caller caller, Set<SourceId> sources) {
        this.streams = streams;
        this.caller = caller;
        this.sources = Set.copyOf(sources);
    }

    Caller caller() {
        return caller;
    }

    Set<SourceId> sources() {
        return sources;
    }

    /// Tells the stream to end, which it does within half a second.
    void end(StreamEnd why) {
        if (end == null) {
            end = why;
        }
    }

    Optional<StreamEnd> ended() {
        return Optional.ofNullable(end);
    }

    boolean isOpen() {
        return end == null;
    }

    @Override
    public void close() {
        streams.remove(this);
    }
}
