package dev.sluice.cli.stream;

import dev.sluice.cli.events.FilteredEvent;
import dev.sluice.cli.events.StoredEvent;

import java.time.Duration;

/// Receives what an [EventFeed] reports, in order and on one thread.
public interface FeedListener {

    /// Called when the stream is open.
    ///
    /// @param isReconnect whether it was open before in this run
    void onReady(boolean isReconnect);

    /// Called for an event. The feed continues only when this method returns.
    void onEvent(StoredEvent event);

    /// Called for an event that does not pass the filter of the stream or of its connection.
    void onFiltered(FilteredEvent filtered);

    /// Called after all messages up to this position were passed to the listener.
    void onCursor(String cursor);

    /// Called when events may be missing.
    void onGap(String reason);

    /// Called while events come in faster than they are handled.
    void onBacklog();

    /// Called when the stream is lost or cannot be opened. The feed tries to reconnect after the
    /// delay.
    void onReconnecting(int attempt, Duration delay, String reason);

    /// Returns whether the listener wants no more events.
    boolean isDone();
}
