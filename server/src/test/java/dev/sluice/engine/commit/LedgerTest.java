package dev.sluice.engine.commit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.engine.DeliveryId;
import dev.sluice.engine.DeliveryStatus;
import dev.sluice.engine.Trigger;
import dev.sluice.engine.ledger.LedgerRow;
import dev.sluice.engine.ledger.LedgerStore;
import dev.sluice.gateway.connection.ConnectionId;
import dev.sluice.gateway.source.SourceId;
import dev.sluice.gateway.source.VerificationStatus;
import dev.sluice.testkit.Some;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceLock;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import java.util.stream.Collectors;

@ResourceLock(StoreFixture.RESOURCE_LOCK)
class LedgerTest {

    private static final int BATCHES = 60;

    private final StoreFixture fixture = new StoreFixture();
    private final Random random = new Random(11);

    /// @param period hour or day since 1970; 0 for all time
    private record SumKey(int kind, UUID key, long period, int dim) {}

    private final Map<SumKey, Long> hours = new HashMap<>();
    private final Map<SumKey, Long> days = new HashMap<>();
    private final Map<SumKey, Long> totals = new HashMap<>();
    private final Map<SumKey, Long> sizes = new HashMap<>();

    @AfterEach
    void close() {
        fixture.close();
    }

    private void writeBatch(List<SourceId> sources, List<ConnectionId> connections) {
        var row = new LedgerRow();
        for (int i = 0; i < 1 + random.nextInt(20); i++) {
            var at = StoreFixture.NOON.plus(Duration.ofMinutes(random.nextInt(6_000)));
            var event = Some.eventId(at);
            long hour = at.getEpochSecond() / 3600;
            switch (random.nextInt(3)) {
                case 0 -> {
                    var source = sources.get(random.nextInt(sources.size()));
                    int size = random.nextInt(1000);
                    row.addEvent(source, event, VerificationStatus.SKIPPED, size);
                    note(1, source.value(), hour, 3, size);
                }
                case 1 -> {
                    var connection = connections.get(random.nextInt(connections.size()));
                    row.addDelivery(connection, event, Trigger.INGEST);
                    note(3, connection.value(), hour, 1, 0);
                }
                default -> {
                    var connection = connections.get(random.nextInt(connections.size()));
                    row.addOutcome(connection, DeliveryId.of(event, 1), DeliveryStatus.FAILED);
                    note(2, connection.value(), hour, 4, 0);
                }
            }
        }
        fixture.db.run(tx -> LedgerStore.write(tx, row, Some.id(), sources.getFirst()));
    }

    private void note(int kind, UUID key, long hour, int dim, long size) {
        hours.merge(new SumKey(kind, key, hour, dim), 1L, Long::sum);
        days.merge(new SumKey(kind, key, hour / 24, dim), 1L, Long::sum);
        totals.merge(new SumKey(kind, key, 0, dim), 1L, Long::sum);
        sizes.merge(new SumKey(kind, key, 0, dim), size, Long::sum);
    }

    private Map<SumKey, Long> read(String sql) {
        return fixture
                .db
                .call(tx ->
                        tx.query(
                                sql,
                                row ->
                                        Map.entry(
                                                new SumKey(
                                                        row.integer("kind"),
                                                        row.uuid("key"),
                                                        row.number("period"),
                                                        row.integer("dim")),
                                                row.number("n"))))
                .stream()
                .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue));
    }

    private int fold() {
        return fixture.db.call(LedgerStore::fold);
    }

    private void assertExact() {
        assertThat(read("select kind, key, hour as period, dim, n from rollup_hour"))
                .isEqualTo(hours);
        assertThat(read("select kind, key, day as period, dim, n from rollup_day")).isEqualTo(days);
        assertThat(read("select kind, key, 0 as period, dim, n from total")).isEqualTo(totals);
        for (String table : List.of("rollup_hour", "rollup_day", "total")) {
            assertThat(
                            read(
                                    "select kind, key, 0 as period, dim,"
                                            + " sum(size)::bigint as n from "
                                            + table
                                            + " group by kind, key, dim"))
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
        assertThat(fixture.count("ledger")).isZero();
        assertExact();
        assertThat(days.keySet()).as("more than one day").hasSizeGreaterThan(3);
    }

    @Test
    void nothing_to_fold_is_nothing_done() {
        assertThat(fold()).isZero();
        assertThat(fixture.count("total")).isZero();
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
