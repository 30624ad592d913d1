package dev.sluice.gateway.destination;

import dev.sluice.account.workspace.WorkspaceId;
import dev.sluice.platform.db.Row;
import dev.sluice.platform.db.Tx;
import dev.sluice.platform.http.Header;
import dev.sluice.platform.json.Json;
import dev.sluice.platform.json.JsonObject;
import dev.sluice.platform.secret.Sealer;

import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/// Writes destinations and their revisions; seals what is secret in them.
public final class DestinationStore {

    /// A destination as nodes keep it in memory, deleted ones included.
    public record Version(Destination destination, boolean isDeleted) {}

    /// A destination with its circuit, as the API shows it.
    record Shown(Destination destination, CircuitView circuit) {
        JsonObject json() {
            return destination.json(circuit);
        }
    }

    private final Sealer sealer;

    public DestinationStore(Sealer sealer) {
        this.sealer = sealer;
    }

    void insert(Tx tx, Destination destination, long version) {
        var spec = destination.spec();
        tx.update(
                """
                insert into destination (id, workspace_id, name, url, timeout_ms, auth, custom_headers,
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
                headers(spec.customHeaders()),
                intervals(spec.retryPolicy()),
                spec.maxInFlight(),
                spec.rateLimit().map(RateLimit::perSecond).orElse(null),
                spec.status().text(),
                destination.revision(),
                destination.createdAt(),
                destination.updatedAt(),
                version);
        insertRevision(tx, destination);
    }

    /// @param before what stands in the database
    void update(Tx tx, Destination before, Destination after, long version) {
        var spec = after.spec();
        tx.update(
                """
                update destination
                   set name = ?, url = ?, timeout_ms = ?, auth = ?, custom_headers = ?, retry_intervals = ?,
                       max_in_flight = ?, rate_per_second = ?, status = ?, revision = ?, updated_at = ?,
                       version = ?
                 where id = ?
                """,
                spec.name(),
                spec.url().toString(),
                (int) spec.timeout().toMillis(),
                sealed(after),
                headers(spec.customHeaders()),
                intervals(spec.retryPolicy()),
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
                insert into destination_revision (id, destination_id, name, url, created_at)
                values (?, ?, ?, ?, ?)
                """,
                destination.revision(),
                destination.id().value(),
                destination.spec().name(),
                destination.spec().url().toString(),
                destination.updatedAt());
    }

    /// False when there is no such destination.
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

    public static boolean exists(Tx tx, WorkspaceId workspace, DestinationId id) {
        return tx.one(
                        """
                        select id
                          from destination
                         where id = ? and workspace_id = ? and deleted_at is null
                        """,
                        row -> row.uuid("id"),
                        id.value(),
                        workspace.value())
                .isPresent();
    }

    Optional<Shown> find(Tx tx, WorkspaceId workspace, DestinationId id) {
        return tx.one(
                """
                select destination.*, circuit.state as circuit_state, circuit.reopen_at
                  from destination
                  left join circuit on circuit.destination_id = destination.id
                 where id = ? and workspace_id = ? and deleted_at is null
                """,
                this::shown,
                id.value(),
                workspace.value());
    }

    List<Shown> list(Tx tx, WorkspaceId workspace, long offset, int limit) {
        return tx.query(
                """
                select destination.*, circuit.state as circuit_state, circuit.reopen_at
                  from destination
                  left join circuit on circuit.destination_id = destination.id
                 where workspace_id = ? and deleted_at is null
                 order by created_at desc, id desc
                offset ? limit ?
                """,
                this::shown,
                workspace.value(),
                offset,
                limit);
    }

    long count(Tx tx, WorkspaceId workspace) {
        return tx.single(
                """
                select count(*) as n
                  from destination
                 where workspace_id = ? and deleted_at is null
                """,
                row -> row.number("n"),
                workspace.value());
    }

    /// Those changed after `version`, deleted ones included.
    public List<Version> changedAfter(Tx tx, long version) {
        return tx.query(
                "select * from destination where version > ?",
                row -> new Version(destination(row), !row.isNull("deleted_at")),
                version);
    }

    private Shown shown(Row row) throws SQLException {
        return new Shown(destination(row), CircuitView.read(row));
    }

    private Destination destination(Row row) throws SQLException {
        var id = new DestinationId(row.uuid("id"));
        var spec =
                new Destination.Spec(
                        row.text("name"),
                        DestinationUrl.stored(row.text("url")),
                        Duration.ofMillis(row.integer("timeout_ms")),
                        AuthJson.opened(sealer.open(row.bytes("auth"), place(id))),
                        headers(row.text("custom_headers")),
                        new RetryPolicy(
                                row.integers("retry_intervals").stream()
                                        .map(Duration::ofSeconds)
                                        .toList()),
                        row.integer("max_in_flight"),
                        row.integerOrNone("rate_per_second").map(RateLimit::new),
                        Destination.Status.valueOf(row.text("status").toUpperCase(Locale.ROOT)));
        return new Destination(
                id,
                new WorkspaceId(row.uuid("workspace_id")),
                row.uuid("revision"),
                spec,
                row.instant("created_at"),
                row.instant("updated_at"));
    }

    private byte[] sealed(Destination destination) {
        return sealer.seal(AuthJson.revealed(destination.spec().auth()), place(destination.id()));
    }

    private static String place(DestinationId id) {
        return "destination:auth:" + id;
    }

    private static List<Integer> intervals(RetryPolicy policy) {
        return policy.intervals().stream().map(interval -> (int) interval.toSeconds()).toList();
    }

    private static String headers(List<Header> headers) {
        var json = new JsonObject();
        headers.forEach(header -> json.put(header.name(), header.value()));
        return Json.text(json);
    }

    private static List<Header> headers(String json) {
        var headers = new ArrayList<Header>();
        Json.texts(json.getBytes(StandardCharsets.UTF_8))
                .forEach((name, value) -> headers.add(new Header(name, value)));
        return headers;
    }
}
