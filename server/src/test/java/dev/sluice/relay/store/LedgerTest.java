package dev.sluice.relay.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.gateway.connection.ConnectionId;
import dev.sluice.gateway.source.SourceId;
import dev.sluice.relay.DeliveryStatus;
import dev.sluice.relay.Trigger;
import dev.sluice.relay.Verification;
import dev.sluice.testkit.Some;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceLock;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;

@ResourceLock(Stored.ROOM)
class LedgerTest {

    private static final int BATCHES = 60;

    private final Stored stored = new Stored();
    private final Random random = new Random(11);

    /// What was counted, by `kind key period dim`.
    private final Map<String, Long> hours = new TreeMap<>();

    private final Map<String, Long> days = new TreeMap<>();
    private final Map<String, Long> totals = new TreeMap<>();
    private final Map<String, Long> sizes = new TreeMap<>();

    @AfterEach
    void close() {
        stored.close();
    }

    private void writeBatch(List<SourceId> sources, List<ConnectionId> connections) {
        var row = new LedgerRow();
        for (int i = 0; i < 1 + random.nextInt(20); i++) {
            var at = Stored.NOON.plus(Duration.ofMinutes(random.nextInt(6_000)));
            var event = Some.eventId(at);
            long hour = at.getEpochSecond() / 3600;
            switch (random.nextInt(3)) {
                case 0 -> {
                    var source = sources.get(random.nextInt(sources.size()));
                    int size = random.nextInt(1000);
                    row.event(source, event, Verification.SKIPPED, size);
                    note(1, source.toString(), hour, 3, size);
                }
                case 1 -> {
                    var connection = connections.get(random.nextInt(connections.size()));
                    row.delivery(connection, event, Trigger.INGEST);
                    note(3, connection.toString(), hour, 1, 0);
                }
                default -> {
                    var connection = connections.get(random.nextInt(connections.size()));
                    row.outcome(connection, event, DeliveryStatus.FAILED);
                    note(2, connection.toString(), hour, 4, 0);
                }
            }
        }
        stored.db.run(tx -> row.write(tx, Some.id(), sources.getFirst()));
    }

    private void note(int kind, String key, long hour, int dim, long size) {
        hours.merge(kind + " " + key + " " + hour + " " + dim, 1L, Long::sum);
        days.merge(kind + " " + key + " " + hour / 24 + " " + dim, 1L, Long::sum);
        totals.merge(kind + " " + key + " " + dim, 1L, Long::sum);
        sizes.merge(kind + " " + key + " " + dim, size, Long::sum);
    }

    private Map<String, Long> read(String sql) {
        var read = new TreeMap<String, Long>();
        stored.db
                .call(tx -> tx.query(sql, row -> Map.entry(row.text("name"), row.number("n"))))
                .forEach(entry -> read.put(entry.getKey(), entry.getValue()));
        return read;
    }

    private int fold() {
        return stored.db.call(Ledger::fold);
    }

    private void assertExact() {
        assertThat(read("select concat_ws(' ', kind, key, hour, dim) as name, n from rollup_hour"))
                .isEqualTo(hours);
        assertThat(read("select concat_ws(' ', kind, key, day, dim) as name, n from rollup_day"))
                .isEqualTo(days);
        assertThat(read("select concat_ws(' ', kind, key, dim) as name, n from total"))
                .isEqualTo(totals);
        for (String table : List.of("rollup_hour", "rollup_day", "total")) {
            assertThat(
                            read(
                                    "select concat_ws(' ', kind, key, dim) as name,"
                                            + " sum(size)::bigint as n from "
                                            + table
                                            + " group by 1"))
                    .as(table)
                    .isEqualTo(sizes);
        }
    }

    @Test
    void sums_by_hour_by_day_and_in_all_are_an_exact_recount() {
        var sources = List.of(Some.sourceId(), Some.sourceId(), Some.sourceId());
        var connections = List.of(new ConnectionId(Some.id()), new ConnectionId(Some.id()));
        int folded = 0;
        for (int i = 0; i < BATCHES; i++) {
            writeBatch(sources, connections);
            if (random.nextInt(7) == 0) {
                folded += fold();
            }
        }
        folded += fold();

        assertThat(folded).isEqualTo(BATCHES);
        assertThat(stored.count("ledger")).isZero();
        assertExact();
        assertThat(days.keySet()).as("more than one day").hasSizeGreaterThan(3);
    }

    @Test
    void nothing_to_fold_is_nothing_done() {
        assertThat(fold()).isZero();
        assertThat(stored.count("total")).isZero();
    }

    @Test
    void nodes_that_fold_at_once_count_nothing_twice() throws InterruptedException {
        var sources = List.of(Some.sourceId());
        var connections = List.of(new ConnectionId(Some.id()));
        var threads = new ArrayList<Thread>();
        for (int round = 0; round < 10; round++) {
            for (int i = 0; i < 5; i++) {
                writeBatch(sources, connections);
            }
            threads.add(Thread.ofVirtual().start(this::fold));
            threads.add(Thread.ofVirtual().start(this::fold));
        }
        for (var thread : threads) {
            thread.join();
        }
        fold();

        assertExact();
    }
}
