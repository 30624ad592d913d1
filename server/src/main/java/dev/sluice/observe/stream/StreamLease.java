package dev.sluice.observe.stream;

import dev.sluice.account.access.Caller;

import org.jspecify.annotations.Nullable;

import java.util.Optional;

/// The place of one open stream. Closing it gives the place back. Thread-safe.
final class StreamLease implements AutoCloseable {

    private final OpenStreams streams;
    private final Caller caller;
    private final StreamSelection selection;
    private volatile @Nullable StreamEnd end;

    StreamLease(OpenStreams streams, Caller caller, StreamSelection selection) {
        this.streams = streams;
        this.caller = caller;
        this.selection = selection;
    }

    Caller caller() {
        return caller;
    }

    /// Returns what the stream shows. It ends when one of these is gone.
    StreamSelection selection() {
        return selection;
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
