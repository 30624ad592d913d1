package dev.sluice.features.streams;

import dev.sluice.account.access.Caller;
import dev.sluice.features.streams.OpenStreamStore.OpenStream;

import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.util.Optional;
import java.util.UUID;

/// The registration of one open stream, which counts towards its workspace's limit until it is
/// closed. Thread-safe.
final class StreamLease implements AutoCloseable {

    private final OpenStreams streams;
    private final UUID id;
    private final Caller caller;
    private final StreamSelection selection;
    private final Instant openedAt;
    private volatile long epoch;
    private volatile @Nullable StreamEnd end;

    /// @param epoch the node's epoch under which the stream is registered
    StreamLease(
            OpenStreams streams,
            UUID id,
            Caller caller,
            StreamSelection selection,
            Instant openedAt,
            long epoch) {
        this.streams = streams;
        this.id = id;
        this.caller = caller;
        this.selection = selection;
        this.openedAt = openedAt;
        this.epoch = epoch;
    }

    UUID id() {
        return id;
    }

    Caller caller() {
        return caller;
    }

    /// Returns the stream's selection. [OpenStreams] ends the stream if a source or the connection
    /// that the selection names is deleted.
    StreamSelection selection() {
        return selection;
    }

    /// Returns the row that registers the stream under one of this node's epochs.
    OpenStream row(long nodeEpoch) {
        return new OpenStream(id, caller.workspace(), nodeEpoch, openedAt);
    }

    boolean isRegisteredUnder(long nodeEpoch) {
        return epoch == nodeEpoch;
    }

    void registeredUnder(long nodeEpoch) {
        epoch = nodeEpoch;
    }

    /// Asks the stream to end, which usually takes less than half a second. Only the first call has
    /// an effect.
    synchronized void end(StreamEnd why) {
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
