package dev.sluice.faults;

import dev.sluice.bench.platform.Wait;
import dev.sluice.bench.relay.RelayProcess;
import dev.sluice.faults.cluster.RelayCluster.ClusterRequirements;
import dev.sluice.faults.cluster.SkewedClock;

import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Optional;

/// Fault 21: a day ends under load while the partitions for the next day are missing. At the same
/// time, a day older than any retention period is due for removal, but a transaction is still
/// reading it.
///
/// The relays' and PostgreSQL's clocks are shifted, first to that old day, then to shortly before
/// midnight.
final class PartitionRolloverFault implements Fault {

    private static final DateTimeFormatter PARTITION_DATE = DateTimeFormatter.ofPattern("uuuuMMdd");
    static final List<String> PARTITIONED_TABLES = List.of("event", "delivery", "attempt");

    /// Long enough for all processes to start and for the load to run for a while.
    private static final int SECONDS_BEFORE_MIDNIGHT = 150;

    /// Longer than any plan keeps events.
    private static final Duration EXPIRED_AGE = Duration.ofDays(4_000);

    private Optional<SkewedClock> clock = Optional.empty();
    private Optional<ExpiredDay> expiredDay = Optional.empty();
    private LocalDate tomorrow = LocalDate.MAX;
    private Instant midnight = Instant.MAX;

    @Override
    public Optional<String> unmetRequirement() {
        return SkewedClock.unmetRequirement();
    }

    @Override
    public TestbedSpec testbedSpec() {
        var made = SkewedClock.make();
        made.set(EXPIRED_AGE.negated());
        clock = Optional.of(made);
        return TestbedSpec.standard()
                .requiring(ClusterRequirements.ofEnvironment(made.environment()));
    }

    @Override
    public void prepare(FaultTestbed testbed) {
        var old =
                new ExpiredDay(
                        testbed,
                        LocalDate.ofInstant(Instant.now().minus(EXPIRED_AGE), ZoneOffset.UTC));
        expiredDay = Optional.of(old);
        old.leaveWaiting();
        for (RelayProcess relay : testbed.cluster().relays()) {
            if (relay.stop() != 0) {
                throw new IllegalStateException("a relay did not stop with 0");
            }
        }
        var now = Instant.now();
        tomorrow = LocalDate.ofInstant(now, ZoneOffset.UTC).plusDays(1);
        midnight = now.plus(testbed.options().seconds(SECONDS_BEFORE_MIDNIGHT));
        clock.orElseThrow()
                .set(Duration.between(midnight, tomorrow.atStartOfDay().toInstant(ZoneOffset.UTC)));
        old.openReader();
        testbed.cluster().relays().forEach(RelayProcess::restart);
    }

    @Override
    public void inject(FaultTestbed testbed, Criteria criteria) {
        expiredDay.orElseThrow().awaitInUse();
        boolean isInTime = Instant.now().isBefore(midnight);
        criteria.holds("the load ran before midnight, too (else: more --seconds)", isInTime);
        if (!isInTime) {
            return; // the partition already has events, so it must not be dropped
        }
        for (String table : PARTITIONED_TABLES) {
            testbed.queries().execute("drop table " + name(table));
        }
        Wait.pause(Duration.between(Instant.now(), midnight.plusSeconds(20)));
    }

    @Override
    public void verify(FaultTestbed testbed, Criteria criteria) {
        var today = PARTITION_DATE.format(tomorrow.minusDays(1));
        criteria.none("requests that failed", testbed.failures())
                .atLeast(
                        "events in the partition of the day before",
                        1,
                        testbed.queries().number("select count(*) from event_" + today))
                .atLeast(
                        "events in the partition that was missing",
                        1,
                        testbed.queries().number("select count(*) from " + name("event")))
                .atLeast(
                        "deliveries in the partition that was missing",
                        1,
                        testbed.queries().number("select count(*) from " + name("delivery")));
        expiredDay.orElseThrow().verify(criteria);
        testbed.remarkFailures(criteria);
    }

    private String name(String table) {
        return table + "_" + PARTITION_DATE.format(tomorrow);
    }
}
