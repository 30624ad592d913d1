package dev.sluice.bench.fault;

import dev.sluice.bench.platform.Wait;

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

/// A day beyond all retention, with deliveries that still wait, and somebody who reads it when it
/// is to be removed.
final class LongAgo {

    private static final DateTimeFormatter NAME = DateTimeFormatter.ofPattern("uuuuMMdd");
    private static final int WAITING = 50;
    private static final Duration PATIENCE = Duration.ofSeconds(150);
    private static final Pattern COUNT = Pattern.compile("deliveries=\"(\\d+)\"");

    private final Stage stage;
    private final LocalDate day;
    private Optional<Connection> reader = Optional.empty();

    /// @param day that the relays' clocks show now
    LongAgo(Stage stage, LocalDate day) {
        this.stage = stage;
        this.day = day;
    }

    /// Leaves deliveries waiting at a paused destination.
    void leaveWaiting() {
        var api = stage.node(0).api();
        var source = api.source("long ago");
        String destination = api.destination("paused", stage.sink(0).url(), Map.of());
        api.connect(source, destination, Map.of());
        api.change("destinations/" + destination, Map.of("status", "paused"));
        for (int i = 0; i < WAITING; i++) {
            if (!api.accepts(source)) {
                throw new IllegalStateException("an event of long ago was refused");
            }
        }
    }

    /// Reads the deliveries of all days, and does not end.
    void read() {
        try {
            var connection = stage.postgres().connect();
            reader = Optional.of(connection);
            connection.setAutoCommit(false);
            try (var statement = connection.createStatement()) {
                statement.execute("select count(*) from delivery");
            }
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    /// Waits until the reader was in the way, and sends it away.
    void awaitInUse() {
        Wait.until(PATIENCE, () -> logged("partition.in_use").findAny().isPresent());
        try {
            reader.orElseThrow().close();
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    void judge(Criteria criteria) {
        Wait.until(PATIENCE, () -> left() == 0);
        var removed =
                logged("partition.dropped")
                        .filter(line -> line.contains(table("delivery")))
                        .map(LongAgo::time)
                        .min(Instant::compareTo)
                        .orElse(Instant.MIN);
        long reported =
                Stream.of("deliveries.expired", "deliveries.left")
                        .flatMap(this::logged)
                        .filter(line -> time(line).isBefore(removed))
                        .mapToLong(LongAgo::count)
                        .sum();
        criteria.atLeast(
                        "removals of a day that met a reader and were tried again",
                        1,
                        logged("partition.in_use").count())
                .none("tables of a day beyond all retention", left())
                .holds(
                        "what waited since that day was ended and reported before its removal",
                        reported == WAITING,
                        "%d of %d".formatted(reported, WAITING));
    }

    private long left() {
        return Midnight.TABLES.stream()
                .mapToLong(table ->
                        stage.postgres()
                                .number(
                                        "select count(*) from pg_class where relname = '%s'"
                                                .formatted(table(table))))
                .sum();
    }

    private String table(String of) {
        return of + "_" + NAME.format(day);
    }

    private Stream<String> logged(String event) {
        return stage.nodes().all().stream().map(relay -> relay.log(event)).flatMap(List::stream);
    }

    private static Instant time(String line) {
        return Instant.parse(line.substring(0, line.indexOf(' ')));
    }

    private static long count(String line) {
        var count = COUNT.matcher(line);
        return count.find() ? Long.parseLong(count.group(1)) : 0;
    }
}
