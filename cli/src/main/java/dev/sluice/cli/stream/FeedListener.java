package dev.sluice.cli.stream;

import dev.sluice.cli.events.FilteredEvent;
import dev.sluice.cli.events.StoredEvent;

import java.time.Duration;
import java.util.OptionalLong;

/// Receives what an [EventFeed] reports, in order and on one thread unless a method says otherwise.
public interface FeedListener {

    /// Called when the stream is open for the first time in this run.
    void onReady();

    /// Called when a lost stream is open again.
    ///
    /// @param missed how many events came meanwhile; empty if that is not known
    void onResumed(OptionalLong missed);

    /// Called for an event. The feed continues only when this method returns.
    void onEvent(StoredEvent event);

    /// Called for an event that does not pass the filter of the stream or of its connection.
    void onFiltered(FilteredEvent filtered);

    /// Called after all messages up to this position were passed to the listener.
    void onCursor(String cursor);

    /// Called when events may be missing. Those that the server still has are passed to [#onEvent]
    /// next.
    void onGap(String reason);

    /// Called while events come in faster than they are handled.
    void onBacklog();

    /// Called by another thread when no data has come for so long that the stream counts as lost,
    /// while this listener still handles an event.
    void onSilence(Duration time);

    /// Called when the stream is lost or cannot be opened. The feed tries to reconnect after the
    /// delay.
    void onReconnecting(int attempt, Duration delay, String reason);

    /// Returns whether the listener wants no more events.
    boolean isDone();
}
