package dev.sluice.gateway.source;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.account.plan.PlanCaps;
import dev.sluice.account.plan.PlanCatalog;
import dev.sluice.account.workspace.WorkspaceId;
import dev.sluice.gateway.ChangeRate;
import dev.sluice.gateway.ConfigurationWriter;
import dev.sluice.gateway.HistoryTrimmer;
import dev.sluice.gateway.connection.ConnectionStore;
import dev.sluice.platform.db.Db;
import dev.sluice.testkit.Given;
import dev.sluice.testkit.LogRecorder;
import dev.sluice.testkit.ManualClock;
import dev.sluice.testkit.RowRefusal;
import dev.sluice.testkit.Some;
import dev.sluice.testkit.TestPostgres;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.List;
import java.util.Set;

class TrashPurgerTest {

    @AutoClose private final Db db = TestPostgres.open(TestPostgres.newDatabase());
    private final Given given = new Given(db);
    private final ManualClock clock = new ManualClock(Some.NOON);
    private final TrashPurger purger =
            new TrashPurger(
                    db,
                    ConnectionStore::purge,
                    new ConfigurationWriter(
                            db,
                            new PlanCaps(PlanCatalog.builtIn()),
                            new ChangeRate(clock),
                            new HistoryTrimmer(List.of()),
                            () -> {}),
                    clock);

    private Set<SourceId> purged() {
        return Set.copyOf(
                db.call(tx ->
                        tx.query(
                                "select id from source where purged_at is not null",
                                row -> new SourceId(row.uuid("id")))));
    }

    @Test
    void a_source_that_cannot_be_purged_keeps_no_other() {
        var sources = List.of(given.source(), given.source(), given.source(), given.source());
        db.run(tx -> tx.update("update source set trashed_at = ?", Some.NOON));
        var bad = sources.get(1);
        clock.advance(TrashStore.TRASH_RETENTION.minus(Duration.ofSeconds(1)));
        purger.run();
        assertThat(purged()).isEmpty();

        clock.advance(Duration.ofSeconds(1));
        try (var log = LogRecorder.of(TrashPurger.class);
                var _ = RowRefusal.of(db, "source", "new.id = '" + bad.value() + "'", "23514")) {
            purger.run();
            assertThat(log.values("source.purge_failed", "source_id"))
                    .containsExactly(bad.toString());
        }
        assertThat(purged())
                .containsExactlyInAnyOrder(sources.get(0), sources.get(2), sources.get(3));

        purger.run();
        assertThat(purged()).hasSize(4);
    }

    @Test
    void the_tokens_of_a_purged_source_are_free_in_its_workspace_only() {
        var source = given.source();
        String token = "token" + source;
        db.run(tx ->
                tx.update(
                        """
                        update source
                           set trashed_at = ?, previous_token = 'previous', previous_token_until = ?
                        """,
                        Some.NOON,
                        Some.NOON));
        clock.advance(TrashStore.TRASH_RETENTION);

        purger.run();

        assertThat(purged()).containsExactly(source);
        assertFreeInItsWorkspaceOnly(token);
        assertFreeInItsWorkspaceOnly("previous");
    }

    private void assertFreeInItsWorkspaceOnly(String token) {
        var own =
                db.call(tx ->
                        tx.single(
                                "select id from workspace",
                                row -> new WorkspaceId(row.uuid("id"))));
        assertThat(take(new WorkspaceId(Some.id()), token)).isFalse();
        assertThat(take(own, token)).isTrue();
    }

    private boolean take(WorkspaceId workspace, String token) {
        return db.call(tx -> TokenStore.take(tx, workspace, token, clock.instant(), 1));
    }
}
