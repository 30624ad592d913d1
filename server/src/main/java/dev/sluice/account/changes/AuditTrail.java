package dev.sluice.account.changes;

import dev.sluice.account.workspace.WorkspaceId;
import dev.sluice.platform.db.Tx;
import dev.sluice.platform.id.Uuid7;

import java.util.Set;
import java.util.UUID;

/// Adds an audit log entry for each change that one caller makes. Each entry is inserted in the
/// transaction that makes the change.
public final class AuditTrail {

    /// The number of entries that a workspace keeps; a few hundred more until the next trimming.
    static final int MAX_ENTRIES = 100_000;

    /// Trimming reads [#MAX_ENTRIES] index entries, so only one of so many changes does it, chosen
    /// by its random id.
    static final int TRIM_INTERVAL = 100;

    private final AuditActor actor;
    private final String address;
    private final Uuid7 ids;

    /// @param address the client's address; empty for a command
    public AuditTrail(AuditActor actor, String address, Uuid7 ids) {
        this.actor = actor;
        this.address = address;
        this.ids = ids;
    }

    /// Records a change in a workspace.
    ///
    /// @param action what was done, such as `source.updated`; docs/reference/audit-log.md lists all
    ///   actions
    /// @param target the id of what was changed
    /// @param name the name of what was changed; empty if it has none or is a person
    /// @param fields the names of the fields that the request set, without their values
    public void record(
            Tx tx,
            WorkspaceId workspace,
            String action,
            UUID target,
            String name,
            Set<String> fields) {
        var id = ids.next();
        AuditLogStore.insert(
                tx,
                id,
                workspace,
                actor,
                address,
                new AuditedChange(action, target, name, String.join(",", fields)));
        if (Math.floorMod(id.getLeastSignificantBits(), TRIM_INTERVAL) == 0) {
            AuditLogStore.trim(tx, workspace, MAX_ENTRIES);
        }
    }

    /// Records a change to a person's account, once in each workspace that the person is a member
    /// of.
    public void recordOfPerson(Tx tx, UUID account, String action) {
        for (var workspace : AuditLogQueries.workspacesOf(tx, account)) {
            record(tx, workspace, action, account, "", Set.of());
        }
    }
}
