package dev.sluice.account.access;

import dev.sluice.platform.db.Tx;

import java.time.Instant;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;

/// Rechecks whether the callers of long-running requests, such as streams, still have access.
public final class CallerQueries {

    private record WorkspaceMember(UUID identity, UUID workspace) {}

    private CallerQueries() {}

    /// Returns the callers whose key or session would still be accepted for the same workspace. A
    /// session may have been switched to another one meanwhile.
    public static Set<Caller> stillValid(Tx tx, Collection<Caller> callers, Instant now) {
        var valid = new HashSet<WorkspaceMember>();
        valid.addAll(keys(tx, callers, now));
        valid.addAll(sessions(tx, callers, now));
        var found = new HashSet<Caller>();
        for (var caller : callers) {
            if (valid.contains(new WorkspaceMember(identity(caller), caller.workspace().value()))) {
                found.add(caller);
            }
        }
        return found;
    }

    private static UUID identity(Caller caller) {
        return switch (caller.identity()) {
            case Caller.Identity.KeyIdentity key -> key.key();
            case Caller.Identity.SessionIdentity session -> session.session();
        };
    }

    private static List<WorkspaceMember> keys(Tx tx, Collection<Caller> callers, Instant now) {
        return tx.query(
                """
                select id, workspace_id
                  from api_key
                 where id = any (?)
                   and (expires_at is null or expires_at > ?)
                """,
                row -> new WorkspaceMember(row.uuid("id"), row.uuid("workspace_id")),
                identities(callers),
                now);
    }

    private static List<WorkspaceMember> sessions(Tx tx, Collection<Caller> callers, Instant now) {
        return tx.query(
                """
                select session.id, member.workspace_id
                  from session
                  join member on member.account_id = session.account_id
                 where session.id = any (?)
                   and member.workspace_id = any (?)
                   and expires_at > ?
                """,
                row -> new WorkspaceMember(row.uuid("id"), row.uuid("workspace_id")),
                identities(callers),
                callers.stream().map(caller -> caller.workspace().value()).toList(),
                now);
    }

    private static List<UUID> identities(Collection<Caller> callers) {
        return callers.stream().map(CallerQueries::identity).toList();
    }
}
