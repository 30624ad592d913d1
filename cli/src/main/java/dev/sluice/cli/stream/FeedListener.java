package dev.sluice.cli.stream;

import dev.sluice.cli.events.FilteredEvent;
import dev.sluice.cli.events.StoredEvent;

import java.time.Duration;
import java.util.OptionalLong;

/// Receives the reports of an [EventFeed], in order and on one thread unless a method says
/// otherwise.
public interface FeedListener {

    /// Called when the stream is open for the first time in this run.
    void onReady();

    /// Called when a lost stream is open again.
    ///
    /// @param missed the number of events that arrived in the meantime; empty if it is not known
    void onResumed(OptionalLong missed);

    /// Called for an event. The feed continues only when this method returns.
    void onEvent(StoredEvent event);

    /// Called for an event that does not pass the filter of the stream or of its connection.
    void onFiltered(FilteredEvent filtered);

    /// Called after all messages up to this position were passed to the listener.
    void onCursor(String cursor);

    /// Called when events may be missing. The missing events that the server still has are passed
    /// to [#onEvent] next.
    void onGap(String reason);

    /// Called while events arrive faster than they are handled.
    void onBacklog();

    /// Called while this listener still handles an event, after no data has come for so long that
    /// the stream counts as lost. The call is made on another thread.
    void onSilence(Duration time);

    /// Called when the stream is lost or cannot be opened. The feed tries to reconnect after the
    /// delay.
    void onReconnecting(int attempt, Duration delay, String reason);

    /// Returns whether the listener wants no more events.
    boolean isDone();
}
