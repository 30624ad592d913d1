package dev.sluice.cli.stream;

import dev.sluice.cli.events.StoredEvent;

import java.time.Duration;

/// Takes what a feed brings, in order and on one thread.
public interface FeedListener {

    /// The stream is open.
    ///
    /// @param isReconnect whether it was open before in this run
    void onReady(boolean isReconnect);

    /// An event came. The feed goes on after it only when this returns.
    void onEvent(StoredEvent event);

    /// An event came that the stream's filter or connection keeps back.
    void onFiltered(FilteredEvent filtered);

    /// Everything up to this place was handed on.
    void onCursor(String cursor);

    /// Events may be missing.
    void onGap(String reason);

    /// The stream is lost; the next attempt comes after the delay.
    void onReconnecting(int attempt, Duration delay, String reason);

    /// Whether nothing more is wanted.
    boolean isDone();
}
