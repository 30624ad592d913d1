package dev.sluice.features.streams;

import dev.sluice.account.workspace.WorkspaceId;
import dev.sluice.account.workspace.WorkspaceStore;
import dev.sluice.platform.db.Tx;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

/// Stores the open streams of all nodes. A stream counts as open while the node that sends it is
/// live. The streams of a dead node no longer count, even though their rows are removed only later.
final class OpenStreamStore {

    /// One of a workspace's open streams.
    ///
    /// @param epoch the epoch of the node that sends the stream
    record OpenStream(UUID id, WorkspaceId workspace, long epoch, Instant openedAt) {}

    private OpenStreamStore() {}

    /// Adds a stream unless the workspace already has `max` streams open. Returns whether it was
    /// added.
    ///
    /// Locks the workspace until the transaction ends, so that simultaneous calls on several nodes
    /// cannot together exceed the limit.
    static boolean add(Tx tx, OpenStream stream, int max) {
        WorkspaceStore.lock(tx, stream.workspace());
        if (count(tx, stream.workspace()) >= max) {
            return false;
        }
        put(tx, List.of(stream));
        return true;
    }

    /// Adds these streams, even if that exceeds the limit. A stream that already has a row is moved
    /// to its new epoch.
    static void put(Tx tx, List<OpenStream> streams) {
        var rows = new ArrayList<List<Object>>();
        for (var stream : streams) {
            rows.add(
                    List.of(
                            stream.id(),
                            stream.workspace().value(),
                            stream.epoch(),
                            stream.openedAt()));
        }
        tx.updateEach(
                """
                insert into open_stream (id, workspace_id, epoch, opened_at)
                values (?, ?, ?, ?)
                on conflict (id) do update set epoch = excluded.epoch
                """,
                rows);
    }

    /// Returns how many streams the workspace has open across all nodes.
    static long count(Tx tx, WorkspaceId workspace) {
        return tx.single(
                """
                select count(*) as n
                  from open_stream
                  join node on node.epoch = open_stream.epoch and node.state = 'live'
                 where workspace_id = ?
                """,
                row -> row.number("n"),
                workspace.value());
    }

    /// Returns the streams that exceed their workspace's limit, which applies across all nodes. A
    /// workspace's oldest streams count as within the limit, so its newest streams are returned.
    static Set<UUID> aboveLimit(Tx tx, Map<WorkspaceId, Integer> limits) {
        var workspaces = List.copyOf(limits.entrySet());
        return new HashSet<>(
                tx.query(
                        """
                        select id
                          from (select open_stream.id, allowed.n,
                                       row_number() over (partition by open_stream.workspace_id
                                                          order by opened_at, open_stream.id) as place
                                  from unnest(?, ?) as allowed (workspace_id, n)
                                  join open_stream on open_stream.workspace_id = allowed.workspace_id
                                  join node on node.epoch = open_stream.epoch and node.state = 'live') as placed
                         where place > n
                        """,
                        row -> row.uuid("id"),
                        workspaces.stream().map(entry -> entry.getKey().value()).toList(),
                        workspaces.stream().map(Map.Entry::getValue).toList()));
    }

    static void remove(Tx tx, Collection<UUID> streams) {
        tx.update("delete from open_stream where id = any (?)", List.copyOf(streams));
    }

    /// Removes the streams of nodes that have died or stopped.
    static void removeDead(Tx tx) {
        tx.update(
                """
                delete from open_stream
                 where not exists (select from node
                                    where node.epoch = open_stream.epoch and node.state = 'live')
                """);
    }
}
