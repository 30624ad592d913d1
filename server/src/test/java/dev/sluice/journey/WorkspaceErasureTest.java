package dev.sluice.journey;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.RunningSluice;
import dev.sluice.account.workspace.WorkspaceId;
import dev.sluice.features.audit.DatabaseAuditor;
import dev.sluice.gateway.source.SourceId;
import dev.sluice.platform.db.Db;
import dev.sluice.testkit.ApiClient;
import dev.sluice.testkit.Given;
import dev.sluice.testkit.GivenRows;
import dev.sluice.testkit.ManualClock;
import dev.sluice.testkit.Person;
import dev.sluice.testkit.Receiver;
import dev.sluice.testkit.RowRefusal;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/// Tests that the data of a deleted workspace is erased, and nothing else.
class WorkspaceErasureTest {

    private static final ManualClock clock = new ManualClock(Instant.parse("2026-03-10T12:00:20Z"));

    @AutoClose
    private static final RunningSluice sluice =
            RunningSluice.start(clock, Map.of("SLUICE_REGISTRATION", "open"));

    @AutoClose private static final Db db = sluice.db();

    /// Tables with the id of the workspace; without those that chores write by themselves.
    private static final List<String> WORKSPACE_TABLES =
            List.of("quota", "audit_log", "replay_job");

    private static final List<String> SOURCE_TABLES =
            List.of("event", "delivery", "delivery_work", "attempt", "dismissal");
    private static final List<String> SUM_TABLES = List.of("rollup_hour", "rollup_day", "total");

    private record Tenant(
            String workspace, Person owner, UUID source, UUID connection, UUID destination) {

        long rows() {
            long rows = 0;
            for (String table : WORKSPACE_TABLES) {
                rows += count(table, "workspace_id", UUID.fromString(workspace));
            }
            for (String table : SOURCE_TABLES) {
                rows += count(table, "source_id", source);
            }
            return rows + sums();
        }

        /// What the workspace's configuration was before, and where its alerts go.
        long configurationRows() {
            return count("replaced_source", "source_id", source)
                    + count("replaced_connection", "connection_id", connection)
                    + count("replaced_destination", "destination_id", destination)
                    + count("alert_config", "workspace_id", UUID.fromString(workspace));
        }

        long sums() {
            long sums = 0;
            for (String table : SUM_TABLES) {
                sums += count(table, "key", source) + count(table, "key", connection);
            }
            return sums;
        }

        private static long count(String table, String column, UUID id) {
            return db.call(tx ->
                    tx.single(
                            "select count(*) as n from " + table + " where " + column + " = ?",
                            row -> row.number("n"),
                            id));
        }
    }

    private static Tenant tenant(String name, Receiver receiver) {
        var owner = Person.register(sluice.api(), name + "@example.com");
        var key =
                new ApiClient(
                        sluice.port(),
                        owner.post("/api/v1/api-keys", "{'name':'Key'}").text("key"));
        var source = key.source("Shop");
        var destination = key.destination(receiver.url(), "");
        var connection = key.connect(source, destination);
        key.patch(
                "/api/v1/sources/" + source.text("id"),
                "{'name':'Renamed','verification_config':{'provider':'none'}}");
        key.patch(
                "/api/v1/connections/" + connection.text("id"),
                "{'transformation':{'remove_headers':['X-A']}}");
        key.patch(
                "/api/v1/destinations/" + destination.text("id"), "{'custom_headers':{'X-A':'1'}}");
        owner.post(
                "/api/v1/alert-configs",
                "{'channel':'email','config':{'to':'" + name + "@example.com'}}");
        for (int i = 0; i < 3; i++) {
            assertThat(key.ingest(source.text("ingest_path"), "{}").status()).isEqualTo(200);
        }
        var tenant =
                new Tenant(
                        owner.get("/api/v1/me").json().path("workspace").path("id").asString(),
                        owner,
                        UUID.fromString(source.text("id")),
                        UUID.fromString(connection.text("id")),
                        UUID.fromString(destination.text("id")));
        assertThat(tenant.configurationRows()).isEqualTo(4);
        var sourceId = new SourceId(tenant.source());
        db.run(tx -> GivenRows.insertDismissal(tx, sourceId, UUID.randomUUID(), clock.instant()));
        await().untilAsserted(() -> {
            assertThat(Tenant.count("delivery", "source_id", tenant.source())).isEqualTo(3);
            assertThat(tenant.sums()).isGreaterThan(0);
            assertThat(unfolded()).isZero();
        });
        return tenant;
    }

    private static long unfolded() {
        return db.call(tx -> tx.single("select count(*) as n from ledger", row -> row.number("n")));
    }

    @Test
    void a_quarter_of_an_hour_after_its_deletion_nothing_of_a_workspace_is_left()
            throws IOException {
        try (var receiver = Receiver.start()) {
            var deleted = tenant("deleted", receiver);
            var other = tenant("other", receiver);
            long otherRows = other.rows();
            long deletedRows = deleted.rows();
            assertThat(deleted.owner().delete("/api/v1/workspaces/" + deleted.workspace()).status())
                    .isEqualTo(204);
            assertThat(deleted.rows()).as("for now").isGreaterThanOrEqualTo(deletedRows);

            clock.advance(Duration.ofMinutes(16));
            sluice.restart(); // the chore runs at the start and then each minute

            await().untilAsserted(() -> assertThat(erasedAt(deleted.workspace())).isTrue());
            assertThat(deleted.rows()).isZero();
            assertThat(deleted.configurationRows()).isZero();
            assertThat(other.configurationRows()).isEqualTo(4);
            assertThat(other.rows()).isEqualTo(otherRows);
            assertThat(DatabaseAuditor.check(db).isClean()).isTrue();
        }
    }

    @Test
    void a_workspace_that_cannot_be_erased_does_not_keep_the_next_from_it() {
        var now = Instant.parse("2020-01-01T00:00:00Z");
        var stuck = UUID.randomUUID();
        var next = UUID.randomUUID();
        try (var _ =
                RowRefusal.of(
                        db,
                        "workspace",
                        "new.id = '" + stuck + "' and new.erased_at is not null",
                        "23514")) {
            insertDeleted(stuck, now);
            insertDeleted(next, now.plusSeconds(1));
            sluice.restart(); // the chore runs at the start and then each minute

            await().untilAsserted(() -> assertThat(erasedAt(next.toString())).isTrue());
            assertThat(erasedAt(stuck.toString())).isFalse();
        }
        sluice.restart();
        await().untilAsserted(() -> assertThat(erasedAt(stuck.toString())).isTrue());
    }

    private static void insertDeleted(UUID workspace, Instant when) {
        db.run(tx -> {
            Given.insertWorkspace(tx, new WorkspaceId(workspace), "", "free", when);
            tx.update("update workspace set deleted_at = ? where id = ?", when, workspace);
        });
    }

    private static boolean erasedAt(String workspace) {
        return db.call(tx ->
                tx.single(
                        "select erased_at is not null as is_erased from workspace where id = ?",
                        row -> row.bool("is_erased"),
                        UUID.fromString(workspace)));
    }
}
