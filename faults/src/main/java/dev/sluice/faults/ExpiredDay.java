package dev.sluice.faults;

import dev.sluice.bench.platform.Wait;
import dev.sluice.bench.relay.RelayApi;
import dev.sluice.bench.relay.RelayProcess;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/// A day that is older than any retention period and still has waiting deliveries. When the day's
/// partitions are due for removal, a transaction is reading them.
final class ExpiredDay {

    private static final DateTimeFormatter PARTITION_DATE = DateTimeFormatter.ofPattern("uuuuMMdd");
    private static final int WAITING_DELIVERIES = 50;
    private static final Duration REMOVAL_TIMEOUT = Duration.ofSeconds(150);
    private static final Pattern LOGGED_DELIVERIES = Pattern.compile("deliveries=\"(\\d+)\"");

    private final FaultTestbed testbed;
    private final LocalDate day;
    private Optional<Connection> reader = Optional.empty();

    /// @param day the current day according to the relays' clocks, which are still set back
    ExpiredDay(FaultTestbed testbed, LocalDate day) {
        this.testbed = testbed;
        this.day = day;
    }

    /// Creates deliveries that wait for a paused destination.
    void leaveWaiting() {
        var api = testbed.node(0).api();
        var source = api.createSource("long ago");
        String destination =
                api.createDestination("paused", testbed.sink(0).url(), 1, RelayApi.RETRY_SECONDS);
        api.connect(source, destination, Map.of());
        api.setStatus(destination, "paused");
        for (int i = 0; i < WAITING_DELIVERIES; i++) {
            if (!api.accepts(source)) {
                throw new IllegalStateException("an event of long ago was refused");
            }
        }
    }

    /// Opens a transaction that reads the deliveries of all days and stays open.
    void openReader() {
        reader =
                Optional.of(
                        testbed.queries()
                                .holdTransaction(
                                        Connection.TRANSACTION_READ_COMMITTED, "delivery"));
    }

    /// Waits until the reader has blocked the removal, then closes the reader.
    void awaitInUse() {
        Wait.until(REMOVAL_TIMEOUT, () -> logLines("partition.drop_delayed").findAny().isPresent());
        try {
            reader.orElseThrow().close();
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    void verify(Criteria criteria) {
        Wait.until(REMOVAL_TIMEOUT, () -> countTables() == 0);
        var removed =
                logLines("partition.dropped")
                        .filter(line -> line.contains(table("delivery")))
                        .map(RelayProcess::logTime)
                        .min(Instant::compareTo)
                        .orElse(Instant.MIN);
        long reported =
                Stream.of("deliveries.expired", "deliveries.leftover_found")
                        .flatMap(this::logLines)
                        .filter(line -> RelayProcess.logTime(line).isBefore(removed))
                        .mapToLong(ExpiredDay::count)
                        .sum();
        criteria.atLeast(
                        "removals of a day that met a reader and were tried again",
                        1,
                        logLines("partition.drop_delayed").count())
                .none("tables of a day beyond all retention", countTables())
                .holds(
                        "what waited since that day was ended and reported before its removal",
                        reported == WAITING_DELIVERIES,
                        "%d of %d".formatted(reported, WAITING_DELIVERIES));
    }

    private long countTables() {
        return PartitionRolloverFault.PARTITIONED_TABLES.stream()
                .filter(table -> testbed.queries().hasTable(table(table)))
                .count();
    }

    private String table(String of) {
        return of + "_" + PARTITION_DATE.format(day);
    }

    private Stream<String> logLines(String event) {
        return testbed.cluster().relays().stream()
                .map(relay -> relay.logLines(event))
                .flatMap(List::stream);
    }

    private static long count(String line) {
        var count = LOGGED_DELIVERIES.matcher(line);
        return count.find() ? Long.parseLong(count.group(1)) : 0;
    }
}
