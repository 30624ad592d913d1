package dev.sluice.observe.stream;

import dev.sluice.account.workspace.WorkspaceId;
import dev.sluice.gateway.connection.ConnectionId;
import dev.sluice.gateway.filter.Filter;
import dev.sluice.gateway.source.SourceId;

import java.util.List;
import java.util.Optional;
import java.util.Set;

/// What one stream shows.
///
/// @param only the sources to show; empty for all of the workspace, also those still to come
/// @param isFull whether items carry headers and body
/// @param filter which events to show; the others come as `filtered`
/// @param connection shows events as this connection would send them
/// @param withDeliveries whether to show the outcomes of deliveries as well
record StreamSelection(
        WorkspaceId workspace,
        Set<SourceId> only,
        boolean isFull,
        Optional<Filter> filter,
        Optional<ConnectionId> connection,
        boolean withDeliveries) {

    StreamSelection {
        only = Set.copyOf(only);
    }

    boolean includes(SourceId source) {
        return only.isEmpty() || only.contains(source);
    }

    boolean includes(StreamOutcome outcome) {
        return withDeliveries
                && includes(outcome.source())
                && (connection.isEmpty() || connection.get().equals(outcome.connection()));
    }

    /// Returns those of the items of its sources that the stream shows.
    List<? extends StreamItem> wanted(List<? extends StreamItem> items) {
        return items.stream()
                .filter(item -> !(item instanceof StreamOutcome outcome) || includes(outcome))
                .toList();
    }

    boolean needsPayload() {
        return isFull || filter.isPresent() || connection.isPresent();
    }
}
