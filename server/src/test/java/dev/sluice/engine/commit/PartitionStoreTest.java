package dev.sluice.engine.commit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.platform.db.Database;
import dev.sluice.platform.db.Db;
import dev.sluice.platform.id.Uuid7;
import dev.sluice.testkit.GivenRows;
import dev.sluice.testkit.Some;
import dev.sluice.testkit.TestPostgres;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

class PartitionStoreTest {

    private static final Instant LAST_MILLI_OF_FEBRUARY_27 =
            Instant.parse("2026-02-27T23:59:59.999Z");

    private static final Database DATABASE = TestPostgres.newDatabase();

    private final Db db = TestPostgres.open(DATABASE);
    private final PartitionStore partitions = new PartitionStore(db);

    @BeforeEach
    void dropAll() {
        db.run(tx -> {
            for (String table : List.of("event", "delivery", "attempt")) {
                partitionsOf(table).forEach(day -> tx.update("drop table " + day));
            }
        });
    }

    @AfterEach
    void close() {
        db.close();
    }

    private List<String> partitionsOf(String table) {
        return db.call(tx ->
                tx.query(
                        """
                        select inhrelid::regclass::text as name
                          from pg_inherits
                         where inhparent = ?::regclass
                         order by 1
                        """,
                        row -> row.text("name"),
                        table));
    }

    @Test
    void there_are_nine_days_from_yesterday_to_in_a_week() {
        partitions.makeAhead(LAST_MILLI_OF_FEBRUARY_27);

        assertThat(partitionsOf("event"))
                .containsExactly(
                        "event_20260226",
                        "event_20260227",
                        "event_20260228",
                        "event_20260301",
                        "event_20260302",
                        "event_20260303",
                        "event_20260304",
                        "event_20260305",
                        "event_20260306");
        assertThat(partitionsOf("delivery")).hasSize(9).first().isEqualTo("delivery_20260226");
        assertThat(partitionsOf("attempt")).hasSize(9).last().isEqualTo("attempt_20260306");
    }

    @Test
    void days_that_are_there_are_left_alone() {
        partitions.makeAhead(LAST_MILLI_OF_FEBRUARY_27);
        partitions.makeAhead(LAST_MILLI_OF_FEBRUARY_27);
        assertThat(partitionsOf("event")).hasSize(9);

        partitions.makeAhead(LAST_MILLI_OF_FEBRUARY_27.plusMillis(1));
        assertThat(partitionsOf("event")).hasSize(10).last().isEqualTo("event_20260307");
    }

    @Test
    void nodes_that_make_days_at_once_both_go_on() throws InterruptedException {
        var failures = new ArrayList<Throwable>();
        var threads = new ArrayList<Thread>();
        for (int i = 0; i < 3; i++) {
            threads.add(
                    Thread.ofPlatform()
                            .uncaughtExceptionHandler((_, e) -> failures.add(e))
                            .start(() -> partitions.makeAhead(LAST_MILLI_OF_FEBRUARY_27)));
        }
        for (var thread : threads) {
            thread.join();
        }

        assertThat(failures).isEmpty();
        assertThat(partitionsOf("event")).hasSize(9);
        assertThat(partitionsOf("delivery")).hasSize(9);
        assertThat(partitionsOf("attempt")).hasSize(9);
    }

    @Test
    void a_day_takes_the_ids_made_on_it_in_utc() {
        partitions.makeAhead(LAST_MILLI_OF_FEBRUARY_27);
        var last = Some.eventId(LAST_MILLI_OF_FEBRUARY_27);
        var first = Some.eventId(LAST_MILLI_OF_FEBRUARY_27.plusMillis(1));
        var source = Some.sourceId();
        db.run(tx ->
                GivenRows.insertEvents(
                        tx,
                        List.of(
                                new GivenRows.EventRow(last, source, 0),
                                new GivenRows.EventRow(first, source, 0))));

        assertThat(dayOf(last.value().toString())).isEqualTo("event_20260227");
        assertThat(dayOf(first.value().toString())).isEqualTo("event_20260228");
        assertThat(Uuid7.timeOf(last.value())).isEqualTo(LAST_MILLI_OF_FEBRUARY_27);
    }

    private String dayOf(String id) {
        return db.call(tx ->
                tx.single(
                        "select tableoid::regclass::text as name from event where id = ?::uuid",
                        row -> row.text("name"),
                        id));
    }

    @Test
    void every_day_has_the_keys_and_storage_of_its_table() {
        partitions.makeAhead(LAST_MILLI_OF_FEBRUARY_27);

        String options =
                db.call(tx ->
                        tx.single(
                                """
                                select array_to_string(reloptions, ',') as options
                                  from pg_class
                                 where relname = 'event_20260227'
                                """,
                                row -> row.text("options")));
        assertThat(options).isEqualTo("toast_tuple_target=4080");
        long invalid =
                db.call(tx ->
                        tx.single(
                                "select count(*) as n from pg_index where not indisvalid",
                                row -> row.number("n")));
        assertThat(invalid).isZero();
    }
}
