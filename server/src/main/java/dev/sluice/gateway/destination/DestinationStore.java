package dev.sluice.gateway.destination;

import dev.sluice.account.workspace.WorkspaceId;
import dev.sluice.gateway.NameSearch;
import dev.sluice.platform.db.Row;
import dev.sluice.platform.db.Tx;
import dev.sluice.platform.json.JsonObject;
import dev.sluice.platform.secret.Sealer;

import org.jspecify.annotations.Nullable;

import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.UUID;

/// Stores destinations and their revisions. Encrypts their authentication secrets and custom
/// headers.
public final class DestinationStore {

    /// A destination as it is loaded into a node's memory, and whether it is deleted.
    public record DestinationVersion(Destination destination, boolean isDeleted) {}

    /// A destination and its circuit breaker, as the API shows them.
    record DestinationView(Destination destination, CircuitView circuit) {
        JsonObject json() {
            return destination.json(circuit);
        }
    }

    /// The URL that is stored in place of an erased one. It is valid, but its host name never
    /// resolves.
    private static final String ERASED_URL = "https://deleted.invalid/";

    private final Sealer sealer;

    public DestinationStore(Sealer sealer) {
        this.sealer = sealer;
    }

    void insert(Tx tx, Destination destination, long version) {
        var spec = destination.spec();
        tx.update(
                """
                insert into destination (id, workspace_id, name, url, timeout_ms, auth, sealed_headers,
                                         retry_intervals, max_in_flight, rate_per_second, status,
                                         revision, created_at, updated_at, version)
                values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                """,
                destination.id().value(),
                destination.workspace().value(),
                spec.name(),
                spec.url().toString(),
                (int) spec.timeout().toMillis(),
                sealed(destination),
                sealedHeaders(destination),
                intervals(spec.retrySchedule()),
                spec.maxInFlight(),
                spec.rateLimit().map(RateLimit::perSecond).orElse(null),
                spec.status().text(),
                destination.revision(),
                destination.createdAt(),
                destination.updatedAt(),
                version);
        insertRevision(tx, destination);
    }

    /// Overwrites a destination. Authentication or custom headers that this node cannot read stay
    /// as they are.
    ///
    /// @param before the destination as it is stored now
    void update(Tx tx, Destination before, Destination after, long version) {
        ReplacedDestinationStore.keep(tx, before, after, version);
        var spec = after.spec();
        tx.update(
                """
                update destination
                   set name = ?, url = ?, timeout_ms = ?, auth = case when ? then ? else auth end,
                       sealed_headers = case when ? then ? else sealed_headers end,
                       retry_intervals = ?, max_in_flight = ?, rate_per_second = ?, status = ?, revision = ?, updated_at = ?,
                       version = ?
                 where id = ?
                """,
                spec.name(),
                spec.url().toString(),
                (int) spec.timeout().toMillis(),
                spec.isAuthReadable(),
                sealed(after),
                spec.customHeaders().isReadable(),
                sealedHeaders(after),
                intervals(spec.retrySchedule()),
                spec.maxInFlight(),
                spec.rateLimit().map(RateLimit::perSecond).orElse(null),
                spec.status().text(),
                after.revision(),
                after.updatedAt(),
                version,
                after.id().value());
        if (!after.revision().equals(before.revision())) {
            insertRevision(tx, after);
        }
    }

    private static void insertRevision(Tx tx, Destination destination) {
        tx.update(
                """
                insert into destination_revision (id, destination_id, workspace_id, name, url,
                                                  created_at)
                values (?, ?, ?, ?, ?, ?)
                """,
                destination.revision(),
                destination.id().value(),
                destination.workspace().value(),
                destination.spec().name(),
                destination.spec().url().toString(),
                destination.updatedAt());
    }

    /// Marks a destination as deleted. Returns false if the workspace has no such destination.
    boolean delete(Tx tx, WorkspaceId workspace, DestinationId id, Instant now, long version) {
        return tx.update(
                        """
                        update destination
                           set deleted_at = ?, updated_at = ?, version = ?
                         where id = ? and workspace_id = ? and deleted_at is null
                        """,
                        now,
                        now,
                        version,
                        id.value(),
                        workspace.value())
                == 1;
    }

    /// Removes a workspace's revisions that were made at or before `newest`, except present ones.
    public static void deleteRevisions(Tx tx, WorkspaceId workspace, Instant newest) {
        tx.update(
                """
                delete from destination_revision as revision
                 where workspace_id = ? and created_at <= ?
                   and not exists (select from destination
                                    where destination.id = revision.destination_id
                                      and destination.revision = revision.id)
                """,
                workspace.value(),
                newest);
    }

    /// Marks all of a deleted workspace's destinations as deleted, and erases their current and
    /// earlier names, URLs, authentication and custom headers.
    public void eraseAll(Tx tx, WorkspaceId workspace, Instant now, long version) {
        ReplacedDestinationStore.removeAll(tx, workspace);
        tx.update(
                """
                update destination_revision
                   set name = '', url = ?
                 where destination_id in (select id from destination where workspace_id = ?)
                """,
                ERASED_URL,
                workspace.value());
        for (var id :
                tx.query(
                        "select id from destination where workspace_id = ?",
                        row -> new DestinationId(row.uuid("id")),
                        workspace.value())) {
            tx.update(
                    """
                    update destination
                       set name = '', url = ?, auth = ?, sealed_headers = null,
                           deleted_at = coalesce(deleted_at, ?), updated_at = ?, version = ?
                     where id = ?
                    """,
                    ERASED_URL,
                    sealer.seal(AuthJson.revealed(new AuthConfig.NoAuth()), sealingContext(id)),
                    now,
                    now,
                    version,
                    id.value());
        }
    }

    /// Returns up to `limit` destinations that were deleted before the time `before`, ordered by
    /// id.
    ///
    /// @param after only destinations with a higher id than this are returned
    public static List<DestinationId> deletedBefore(Tx tx, Instant before, UUID after, int limit) {
        return tx.query(
                """
                select id
                  from destination
                 where deleted_at is not null and deleted_at < ? and id > ?
                 order by id
                 limit ?
                """,
                row -> new DestinationId(row.uuid("id")),
                before,
                after,
                limit);
    }

    /// Removes the given destinations and their revisions. Keeps destinations that are not marked
    /// as deleted, or that a connection still refers to. Returns the number of destinations
    /// removed.
    public static int remove(Tx tx, List<DestinationId> deleted) {
        var free =
                tx.query(
                        """
                        select id
                          from destination
                         where id = any (?) and deleted_at is not null
                           and not exists (select from connection where destination_id = destination.id)
                        """,
                        row -> row.uuid("id"),
                        deleted.stream().map(DestinationId::value).toList());
        tx.update("delete from destination_revision where destination_id = any (?)", free);
        return tx.update("delete from destination where id = any (?)", free);
    }

    /// Removes up to `limit` revisions that were replaced before the time `before`. Returns the
    /// number of revisions removed. The caller must make sure that no stored attempt was made
    /// before that time.
    public static int removeReplacedRevisions(Tx tx, Instant before, int limit) {
        return tx.update(
                """
                delete from destination_revision
                 where id = any (array(
                       select old.id
                         from destination_revision as old
                        where old.created_at < ?
                          and exists (select from destination_revision as next
                                       where next.destination_id = old.destination_id
                                         and next.created_at > old.created_at
                                         and next.created_at < ?)
                          and not exists (select from destination where revision = old.id
                                             and destination.id = old.destination_id)
                        limit ?))
                """,
                before,
                before,
                limit);
    }

    Optional<DestinationView> find(Tx tx, WorkspaceId workspace, DestinationId id) {
        return tx.findOne(
                """
                select destination.*, circuit.state as circuit_state, circuit.reopen_at
                  from destination
                  left join circuit on circuit.destination_id = destination.id
                 where id = ? and workspace_id = ? and deleted_at is null
                """,
                this::view,
                id.value(),
                workspace.value());
    }

    /// Lists a workspace's destinations, newest first.
    ///
    /// @param q text that the name must contain, ignoring case; empty for all destinations
    List<DestinationView> list(Tx tx, WorkspaceId workspace, String q, long offset, int limit) {
        return tx.query(
                """
                select destination.*, circuit.state as circuit_state, circuit.reopen_at
                  from destination
                  left join circuit on circuit.destination_id = destination.id
                 where workspace_id = ? and deleted_at is null
                """
                        + NameSearch.CONDITION
                        + """
                         order by created_at desc, id desc
                        offset ? limit ?
                        """,
                this::view,
                workspace.value(),
                q,
                q,
                offset,
                limit);
    }

    /// Returns up to `limit` destinations that are not deleted, ordered by id.
    ///
    /// @param after only destinations with a higher id than this are returned
    public List<DestinationVersion> live(Tx tx, UUID after, int limit) {
        return tx.query(
                """
                select *
                  from destination
                 where deleted_at is null and id > ?
                 order by id
                 limit ?
                """,
                this::version,
                after,
                limit);
    }

    /// Returns the destinations that changed after the configuration version `version`, including
    /// deleted destinations.
    public List<DestinationVersion> changedAfter(Tx tx, long version) {
        return tx.query("select * from destination where version > ?", this::version, version);
    }

    private DestinationVersion version(Row row) throws SQLException {
        return new DestinationVersion(destination(row), !row.isNull("deleted_at"));
    }

    private DestinationView view(Row row) throws SQLException {
        return new DestinationView(destination(row), CircuitView.read(row));
    }

    Destination destination(Row row) throws SQLException {
        var id = new DestinationId(row.uuid("id"));
        var spec =
                new Destination.DestinationSpec(
                        row.text("name"),
                        DestinationUrl.parseStored(row.text("url")),
                        Duration.ofMillis(row.integer("timeout_ms")),
                        auth(row, id),
                        customHeaders(row, id),
                        new RetrySchedule(
                                row.integers("retry_intervals").stream()
                                        .map(Duration::ofSeconds)
                                        .toList()),
                        limits(row),
                        Destination.DestinationStatus.valueOf(
                                row.text("status").toUpperCase(Locale.ROOT)));
        return new Destination(
                id,
                new WorkspaceId(row.uuid("workspace_id")),
                row.uuid("revision"),
                spec,
                row.instant("created_at"),
                row.instant("updated_at"));
    }

    AuthConfig auth(Row row, DestinationId id) throws SQLException {
        try {
            return AuthJson.parseUnsealed(sealer.open(row.bytes("auth"), sealingContext(id)));
        } catch (Sealer.WrongKeyException e) {
            return new AuthConfig.UnreadableAuth();
        }
    }

    CustomHeaders customHeaders(Row row, DestinationId id) throws SQLException {
        if (row.isNull("sealed_headers")) {
            return CustomHeaders.NONE;
        }
        try {
            return CustomHeaders.parseUnsealed(
                    sealer.open(row.bytes("sealed_headers"), headersContext(id)));
        } catch (Sealer.WrongKeyException e) {
            return CustomHeaders.UNREADABLE;
        }
    }

    private static DestinationLimits limits(Row row) throws SQLException {
        return new DestinationLimits(
                row.integer("max_in_flight"),
                row.integerOrNone("rate_per_second").map(RateLimit::new));
    }

    private byte[] sealed(Destination destination) {
        return sealer.seal(
                AuthJson.revealed(destination.spec().auth()), sealingContext(destination.id()));
    }

    private static String sealingContext(DestinationId id) {
        return "destination:auth:" + id;
    }

    private byte @Nullable [] sealedHeaders(Destination destination) {
        var headers = destination.spec().customHeaders();
        return headers.isEmpty() ? null : sealHeaders(headers.revealed(), destination.id());
    }

    /// @param json the headers as JSON that [CustomHeaders#parseUnsealed] can read
    private byte[] sealHeaders(String json, DestinationId id) {
        return sealer.seal(json, headersContext(id));
    }

    private static String headersContext(DestinationId id) {
        return "destination:custom_headers:" + id;
    }

    private static List<Integer> intervals(RetrySchedule schedule) {
        return schedule.intervals().stream().map(interval -> (int) interval.toSeconds()).toList();
    }
}
