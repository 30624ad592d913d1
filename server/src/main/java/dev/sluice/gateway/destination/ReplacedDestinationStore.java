package dev.sluice.gateway.destination;

import dev.sluice.account.workspace.WorkspaceId;
import dev.sluice.gateway.ReplacedRowStore;
import dev.sluice.platform.db.Row;
import dev.sluice.platform.db.Tx;

import java.sql.SQLException;
import java.time.Instant;
import java.util.Optional;

/// Keeps a destination's old URL, authentication and custom headers when a change replaces any of
/// them. Also finds the values that were in force at a given configuration version. Secrets stay
/// encrypted in the database.
public final class ReplacedDestinationStore {

    private static final ReplacedRowStore ROWS =
            new ReplacedRowStore("replaced_destination", "destination_id", "destination_id");

    private record SentSettings(DestinationUrl url, AuthConfig auth, CustomHeaders headers) {

        Destination.DestinationSpec applyTo(Destination.DestinationSpec spec) {
            return new Destination.DestinationSpec(
                    spec.name(),
                    url,
                    spec.timeout(),
                    auth,
                    headers.withSecretNamesOf(spec.customHeaders()),
                    spec.retrySchedule(),
                    spec.limits(),
                    spec.status());
        }
    }

    private final DestinationStore destinations;

    public ReplacedDestinationStore(DestinationStore destinations) {
        this.destinations = destinations;
    }

    /// Returns the destination's settings with the URL, authentication and custom headers that were
    /// in force at configuration version `version`. All other settings are the destination's
    /// current ones. Returns empty if the destination's row has been removed.
    public Optional<Destination.DestinationSpec> at(Tx tx, DestinationId id, long version) {
        return tx.findOne(
                        "select * from destination where id = ?",
                        destinations::destination,
                        id.value())
                .map(Destination::spec)
                .map(spec -> replaced(tx, id, version).map(old -> old.applyTo(spec)).orElse(spec));
    }

    private Optional<SentSettings> replaced(Tx tx, DestinationId id, long version) {
        return tx.findOne(
                """
                select url, auth, sealed_headers
                  from replaced_destination
                 where destination_id = ? and until_version > ?
                 order by until_version
                 limit 1
                """,
                row -> settings(row, id),
                id.value(),
                version);
    }

    private SentSettings settings(Row row, DestinationId id) throws SQLException {
        return new SentSettings(
                DestinationUrl.parseStored(row.text("url")),
                destinations.auth(row, id),
                destinations.customHeaders(row, id));
    }

    /// Stores the current URL, authentication and custom headers if the change from `before` to
    /// `after` replaces any of them and an attempt may have been made with them. Must be called
    /// before the destination's row is overwritten.
    ///
    /// @param version the configuration version that the change creates
    static void keep(Tx tx, Destination before, Destination after, long version) {
        var old = before.spec();
        var changed = after.spec();
        if (old.url().equals(changed.url())
                && old.auth().equals(changed.auth())
                && old.customHeaders().equals(changed.customHeaders())) {
            return;
        }
        if (!ROWS.mayHaveBeenUsed(tx, before.id().value())) {
            return;
        }
        tx.update(
                """
                insert into replaced_destination (destination_id, workspace_id, until_version,
                                                  replaced_at, url, auth, sealed_headers)
                select id, workspace_id, ?, now(), url, auth, sealed_headers
                  from destination
                 where id = ?
                """,
                version,
                before.id().value());
        ROWS.trim(tx, before.id().value());
    }

    /// Removes the replaced settings of all the workspace's destinations.
    static void removeAll(Tx tx, WorkspaceId workspace) {
        tx.update(
                """
                delete from replaced_destination
                 where destination_id in (select id from destination where workspace_id = ?)
                """,
                workspace.value());
    }

    /// See [ReplacedRowStore#deleteOf].
    public static void deleteOf(Tx tx, WorkspaceId workspace, Instant newest) {
        ROWS.deleteOf(tx, workspace, newest);
    }

    /// See [ReplacedRowStore#removeBefore].
    public static int removeBefore(Tx tx, Instant before, int limit) {
        return ROWS.removeBefore(tx, before, limit);
    }

    /// See [ReplacedRowStore#removeUnnamed].
    public static int removeUnnamed(Tx tx, Instant from, Instant to, int limit) {
        return ROWS.removeUnnamed(tx, from, to, limit);
    }
}
