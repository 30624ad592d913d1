package dev.sluice.faults;

import dev.sluice.bench.ledger.MessageEntry.ReceivedEntry;
import dev.sluice.bench.ledger.MessageLedger;
import dev.sluice.bench.platform.Wait;
import dev.sluice.bench.relay.RelayApi;
import dev.sluice.bench.relay.RelayApi.BenchSource;
import dev.sluice.bench.scenario.EventHistoryStore;
import dev.sluice.bench.sink.SinkBehaviour;
import dev.sluice.bench.sink.SinkProcess;

import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

/// Four sources with two connections each, and a history of a few hours in which every delivery is
/// a dead letter.
///
/// The rows are written with SQL before the load begins. One sink receives the resends made on each
/// source's first connection, and another sink receives those made on each source's second
/// connection. Both sinks keep ledgers.
final class DeadLetterHistory implements AutoCloseable {

    private static final int SOURCES = 4;
    private static final int CONNECTIONS_PER_SOURCE = 2;
    private static final int MAX_IN_FLIGHT = 64;
    private static final Duration AGE = Duration.ofHours(3);
    private static final Duration SPAN = Duration.ofHours(2);
    private static final Duration CONFIGURATION_DELAY = Duration.ofSeconds(2);

    private final FaultTestbed testbed;
    private final List<SinkProcess> sinks = new ArrayList<>();
    private final List<UUID> sources = new ArrayList<>();

    private DeadLetterHistory(FaultTestbed testbed) {
        this.testbed = testbed;
    }

    /// Writes `rows` dead letters, or one fewer if `rows` is odd, because each event has two.
    static DeadLetterHistory write(FaultTestbed testbed, int rows) {
        var history = new DeadLetterHistory(testbed);
        try {
            history.configure();
            history.insert(rows);
            return history;
        } catch (SQLException e) {
            history.close();
            throw new IllegalStateException(e);
        }
    }

    private void configure() {
        for (int place = 0; place < CONNECTIONS_PER_SOURCE; place++) {
            sinks.add(
                    SinkProcess.start(
                            new SinkBehaviour.FlakyAnswers(10, Duration.ZERO),
                            Optional.of(received(place))));
        }
        var api = testbed.node(0).api();
        for (int i = 0; i < SOURCES; i++) {
            BenchSource source = api.createSource("dead letters " + i);
            sources.add(UUID.fromString(source.id()));
            for (int place = 0; place < CONNECTIONS_PER_SOURCE; place++) {
                String destination =
                        api.createDestination(
                                "resends %d of source %d".formatted(place, i),
                                sinks.get(place).url(),
                                MAX_IN_FLIGHT,
                                RelayApi.RETRY_SECONDS);
                api.connect(source, destination, Map.of());
            }
        }
        Wait.pause(CONFIGURATION_DELAY);
    }

    private void insert(int rows) throws SQLException {
        var from = Instant.now().minus(AGE);
        try (var connection = testbed.postgres().connect()) {
            new EventHistoryStore(connection)
                    .writeDeadLetters(
                            (long) rows / CONNECTIONS_PER_SOURCE,
                            sources,
                            CONNECTIONS_PER_SOURCE,
                            from,
                            from.plus(SPAN));
        }
    }

    /// Returns how many rows of a table belong to these sources and satisfy a condition.
    ///
    /// @param table the table, such as `delivery`
    /// @param condition an SQL condition
    long count(String table, String condition) {
        return testbed.queries()
                .number(
                        "select count(*) from %s where %s and %s"
                                .formatted(table, isOwn("source_id"), condition));
    }

    /// Returns how many of these sources' deliveries, finished or not, satisfy a condition. The
    /// tables `delivery` and `delivery_work` are counted in one snapshot, because deliveries move
    /// from one to the other when they finish.
    ///
    /// @param condition an SQL condition that is valid for both tables
    long countStored(String condition) {
        return testbed.queries()
                .number(
                        """
                        select (select count(*) from delivery where %1$s and %2$s)
                             + (select count(*) from delivery_work where %1$s and %2$s)
                        """
                                .formatted(isOwn("source_id"), condition));
    }

    /// Returns an SQL condition that is true if a column contains the id of one of these sources.
    String isOwn(String column) {
        return column
                + " in ("
                + String.join(", ", sources.stream().map("'%s'"::formatted).toList())
                + ")";
    }

    /// Returns the number of resends that have not finished yet.
    long waiting() {
        return count("delivery_work", "true");
    }

    /// Compares the requests that the sinks accepted with the deliveries that must have arrived.
    ///
    /// @param condition an SQL condition on `delivery` that selects the deliveries that must have
    ///   arrived
    ArrivalComparison arrivals(String condition) {
        long missing = 0;
        long unexpected = 0;
        long repeated = 0;
        for (int place = 0; place < CONNECTIONS_PER_SOURCE; place++) {
            var expected = expectedEvents(condition, place);
            var seen = new HashSet<String>();
            for (var entry : MessageLedger.read(received(place))) {
                var receipt = (ReceivedEntry) entry;
                if (receipt.isDelivered()) {
                    unexpected += expected.contains(receipt.eventId()) ? 0 : 1;
                    repeated += seen.add(receipt.eventId()) ? 0 : 1;
                }
            }
            expected.removeAll(seen);
            missing += expected.size();
        }
        return new ArrivalComparison(missing, unexpected, repeated);
    }

    /// How the arrivals at the sinks differ from the expected resends.
    ///
    /// @param missing the number of resends that never arrived
    /// @param unexpected the number of arrivals that match no expected resend
    /// @param repeated the number of times that a resend arrived again after its first arrival
    record ArrivalComparison(long missing, long unexpected, long repeated) {}

    /// Returns the ids of the events that have a delivery satisfying the condition. Of each
    /// source's connections, only the one at position `place`, counted from 0, is considered.
    private Set<String> expectedEvents(String condition, int place) {
        return new HashSet<>(
                testbed.queries()
                        .texts(
                                """
                                select distinct left(delivery.id::text, 33) || '000'
                                  from delivery
                                  join (select id, row_number() over (partition by source_id order by id) as place
                                          from connection) as placed
                                    on placed.id = delivery.connection_id and placed.place = %d
                                 where %s and %s
                                """
                                        .formatted(place + 1, isOwn("source_id"), condition)));
    }

    private Path received(int place) {
        return testbed.cluster().scratchFile("received-resends-" + place);
    }

    @Override
    public void close() {
        sinks.forEach(SinkProcess::close);
    }
}
