package dev.sluice.cli.stream;

import dev.sluice.cli.events.FilteredEvent;
import dev.sluice.cli.events.StoredEvent;

import java.time.Duration;
import java.util.OptionalLong;

/// Receives events and status reports from an [EventFeed], in order and on one thread unless a
/// method says otherwise.
public interface FeedListener {

    /// Called when the stream opens for the first time in this run.
    void onReady();

    /// Called when a lost stream has been reopened.
    ///
    /// @param missed the number of events that arrived in the meantime, or empty if unknown
    void onResumed(OptionalLong missed);

    /// Called for each event. The feed waits until this method returns.
    void onEvent(StoredEvent event);

    /// Called for each event that the server leaves out of the stream, for example because the
    /// event does not pass a filter.
    void onFiltered(FilteredEvent filtered);

    /// Called after all messages up to this position have been passed to the listener.
    void onCursor(String cursor);

    /// Called when events may be missing. Unless the reason is `not_resumed`, the feed then passes
    /// to [#onEvent] any missing events that it can still get.
    ///
    /// @param reason a stable, machine-readable code, such as `retention`
    void onGap(String reason);

    /// Called repeatedly while events arrive faster than the listener handles them.
    void onBacklog();

    /// Called when the stream counts as lost because no data has arrived for `time`, while this
    /// listener is still handling an event. Unlike the other methods, this one is called on another
    /// thread.
    void onSilence(Duration time);

    /// Called when the stream is lost or cannot be opened. The feed tries to reconnect after the
    /// delay.
    void onReconnecting(int attempt, Duration delay, String reason);

    /// Returns whether the listener wants no more events.
    boolean isDone();
}
