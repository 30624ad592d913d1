package dev.sluice.engine.accept;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;

import dev.sluice.engine.RefusalReason;
import dev.sluice.engine.ledger.LedgerStore;
import dev.sluice.gateway.source.SourceId;
import dev.sluice.platform.db.Database;
import dev.sluice.platform.db.Db;
import dev.sluice.platform.db.DbException;
import dev.sluice.platform.http.ApiErrorCode;
import dev.sluice.testkit.PostgresProxy;
import dev.sluice.testkit.Some;
import dev.sluice.testkit.TestPostgres;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.slf4j.LoggerFactory;

import java.time.Instant;
import java.util.List;

class RefusalRecorderTest {

    private static final Database DATABASE = TestPostgres.newDatabase();

    @AutoClose private final Db db = TestPostgres.open(DATABASE);

    private final ListAppender<ILoggingEvent> lines = new ListAppender<>();
    private final Logger logger = (Logger) LoggerFactory.getLogger(RefusalRecorder.class);

    /// A minute that no other test logs about.
    private Instant now = Instant.parse("2033-05-18T03:33:20Z");

    private final RefusalCounter counter = new RefusalCounter(() -> now);
    private final SourceId source = Some.sourceId();

    private RefusalRecorder recorder(Db to) {
        return new RefusalRecorder(counter, to, Some::id, () -> now);
    }

    @BeforeEach
    void prepare() {
        db.run(tx -> tx.update("delete from ledger"));
        lines.start();
        logger.setLevel(Level.INFO); // the simulation silences the whole relay meanwhile
        logger.addAppender(lines);
    }

    @AfterEach
    void detach() {
        logger.detachAppender(lines);
        logger.setLevel(null);
    }

    private List<String> messages() {
        return List.copyOf(lines.list).stream()
                .map(line -> line.getMessage() + " " + line.getKeyValuePairs())
                .filter(line -> line.contains("2033-05-18T03:33"))
                .toList();
    }

    private long stored() {
        return db.call(tx ->
                tx.single(
                        """
                        select coalesce(sum(n), 0) as n
                          from ledger, unnest(kinds, counts) as unfolded (kind, n)
                         where kind = 5
                        """,
                        row -> row.number("n")));
    }

    @Test
    void each_source_and_minute_gets_one_line_when_the_minute_is_over() {
        var recorder = recorder(db);
        counter.count(source, RefusalReason.RATE_LIMITED);
        counter.count(source, RefusalReason.VERIFICATION_FAILED);
        recorder.run();
        counter.count(source, ApiErrorCode.RATE_LIMITED);
        counter.count(source, ApiErrorCode.MALFORMED_REQUEST); // no refusal
        recorder.run();
        assertThat(messages()).isEmpty();

        now = now.plusSeconds(60);
        recorder.run();
        recorder.run();

        assertThat(messages())
                .containsExactly(
                        "ingest.refused [source_id=\"%s\", minute=\"2033-05-18T03:33:00Z\","
                                        .formatted(source)
                                + " requests=\"3\", reasons=\"verification_failed: 1,"
                                + " rate_limited: 2\"]");
        assertThat(stored()).as("all but the stored events").isEqualTo(2);
        assertThat(counter.total(RefusalReason.RATE_LIMITED)).isEqualTo(2);
    }

    @Test
    void the_end_writes_and_logs_what_is_left() {
        counter.count(source, RefusalReason.NOT_STORED);

        recorder(db).finish();

        assertThat(stored()).isEqualTo(1);
        assertThat(messages()).hasSize(1);
    }

    @Test
    void a_minute_has_a_hundred_lines_at_most() {
        var recorder = recorder(db);
        for (int i = 0; i < 103; i++) {
            counter.count(Some.sourceId(), RefusalReason.QUOTA_EXCEEDED);
        }
        now = now.plusSeconds(60);
        recorder.run();

        assertThat(messages()).hasSize(101);
        assertThat(messages().getLast())
                .isEqualTo(
                        "ingest.others_refused [minute=\"2033-05-18T03:33:00Z\", sources=\"3\"]");
    }

    @Test
    void the_memory_is_bounded() {
        for (int i = 0; i < RefusalCounter.MAX_KEYS; i++) {
            counter.count(Some.sourceId(), RefusalReason.RATE_LIMITED);
        }
        counter.count(source, RefusalReason.UNAVAILABLE);

        assertThat(counter.take()).hasSize(RefusalCounter.MAX_KEYS);
        assertThat(counter.take()).isEmpty();
        assertThat(counter.total(RefusalReason.UNAVAILABLE)).isEqualTo(1);
    }

    @Test
    void counts_wait_for_the_database_and_are_written_once() {
        try (var proxy = PostgresProxy.to(DATABASE);
                var through = TestPostgres.open(proxy.database())) {
            var recorder = recorder(through);
            counter.count(source, RefusalReason.UNAVAILABLE);
            proxy.cutNextCommit(PostgresProxy.CommitCut.AFTER_COMMIT);
            assertThatThrownBy(recorder::run).isInstanceOf(DbException.class);
            counter.count(source, RefusalReason.UNAVAILABLE);

            recorder.run();
            recorder.run();
        }

        assertThat(stored()).isEqualTo(2);
    }

    @ParameterizedTest
    @EnumSource(PostgresProxy.CommitCut.class)
    void a_batch_whose_commit_was_in_doubt_counts_once_though_its_row_was_folded(
            PostgresProxy.CommitCut cut) {
        try (var proxy = PostgresProxy.to(DATABASE);
                var through = TestPostgres.open(proxy.database())) {
            var recorder = recorder(through);
            counter.count(source, RefusalReason.UNAVAILABLE);
            proxy.cutNextCommit(cut);
            assertThatThrownBy(recorder::run).isInstanceOf(DbException.class);
            counter.count(source, RefusalReason.UNAVAILABLE);

            await().untilAsserted(() -> {
                db.call(LedgerStore::fold);
                recorder.run();
                db.call(LedgerStore::fold);
                assertThat(folded()).isGreaterThanOrEqualTo(2);
            });
            recorder.run();
        }

        assertThat(folded()).isEqualTo(2);
        assertThat(stored()).isZero();
    }

    private long folded() {
        return db.call(tx ->
                tx.single(
                        "select coalesce(sum(n), 0)::bigint as n from total where kind = 5 and key"
                                + " = ?",
                        row -> row.number("n"),
                        source.value()));
    }
}
