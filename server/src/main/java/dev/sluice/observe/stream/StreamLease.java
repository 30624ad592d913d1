package dev.sluice.observe.stream;

import dev.sluice.account.access.Caller;
import dev.sluice.observe.feed.StreamSelection;

import org.jspecify.annotations.Nullable;

import java.util.Optional;

/// The registration of one open stream, which counts towards its workspace's limit until it is
/// closed. Thread-safe.
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

    /// Returns the selection of the stream. [OpenStreams] ends the stream if a source or the
    /// connection that the selection names is deleted.
    StreamSelection selection() {
        return selection;
    }

    /// Asks the stream to end, which usually takes less than half a second. After the first call,
    /// further calls do nothing.
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
