package dev.sluice.features.streams;

import dev.sluice.account.workspace.WorkspaceId;
import dev.sluice.gateway.connection.ConnectionId;
import dev.sluice.gateway.filter.Filter;
import dev.sluice.gateway.source.SourceId;

import java.util.List;
import java.util.Optional;
import java.util.Set;

/// What a client asked a stream to show, and in which form.
///
/// @param only the sources to show; empty to show all of the workspace's sources, including future
///   ones
/// @param isFull whether events include headers and body
/// @param filter selects the events to show; all others are sent as `filtered`. If empty, this
///   filter excludes no events
/// @param connection if present, events are shown as this connection would send them, and only the
///   outcomes of its deliveries are shown
/// @param withDeliveries whether to show the outcomes of deliveries as well
public record StreamSelection(
        WorkspaceId workspace,
        Set<SourceId> only,
        boolean isFull,
        Optional<Filter> filter,
        Optional<ConnectionId> connection,
        boolean withDeliveries) {

    public StreamSelection {
        only = Set.copyOf(only);
    }

    public boolean includes(SourceId source) {
        return only.isEmpty() || only.contains(source);
    }

    public boolean includes(StreamOutcome outcome) {
        return withDeliveries
                && includes(outcome.source())
                && (connection.isEmpty() || connection.get().equals(outcome.connection()));
    }

    /// Returns all events in `items`, and those outcomes that the stream shows. The caller must
    /// pass only items from the stream's sources.
    public List<? extends StreamItem> wanted(List<? extends StreamItem> items) {
        return items.stream()
                .filter(item -> !(item instanceof StreamOutcome outcome) || includes(outcome))
                .toList();
    }

    /// Returns a selection that is equal for all streams to which the feed hands the same items.
    StreamSelection sharedItems() {
        return new StreamSelection(
                workspace, only, needsPayload(), Optional.empty(), connection, withDeliveries);
    }

    public boolean needsPayload() {
        return isFull || isChosenByPayload();
    }

    /// Whether an event's payload decides how the event is shown, or whether it is sent as
    /// `filtered`.
    public boolean isChosenByPayload() {
        return filter.isPresent() || connection.isPresent();
    }
}
