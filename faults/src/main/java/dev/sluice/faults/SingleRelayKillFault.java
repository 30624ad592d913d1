package dev.sluice.faults;

import dev.sluice.bench.ledger.MessageEntry.ReceivedEntry;
import dev.sluice.bench.platform.Wait;
import dev.sluice.bench.report.ReportTable;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;

/// Fault 2: the only relay is killed and restarted immediately. The lock on the data directory
/// tells the new process that the previous one is dead.
final class SingleRelayKillFault implements Fault {

    private static final double MAX_REDELIVERY_SECONDS = 3;

    /// Requests that were in flight when the relay died reach the sinks within this time.
    private static final long IN_TRANSIT_NANOS = Duration.ofMillis(300).toNanos();

    private final List<RelayKill> kills = new ArrayList<>();

    /// @param nanos the time at which the relay was killed
    /// @param up the time at which the relay answered again
    private record RelayKill(long nanos, long up, long deliveries) {}

    @Override
    public TestbedSpec testbedSpec() {
        return TestbedSpec.slow().with(1);
    }

    @Override
    public void inject(FaultTestbed testbed, Criteria criteria) {
        var relay = testbed.node(0);
        for (int round = 1; round <= testbed.options().rounds(5); round++) {
            var ownedWork = testbed.ownedWork(relay);
            relay.kill();
            long nanos = System.nanoTime();
            long deliveries = ownedWork.deliveries();
            relay.restart();
            kills.add(new RelayKill(nanos, System.nanoTime(), deliveries));
            testbed.allowDuplicates(deliveries);
            Wait.pause(testbed.options().seconds(8));
        }
    }

    @Override
    public void verify(FaultTestbed testbed, Criteria criteria) {
        var ledgers = testbed.ledgers();
        var acked = new HashMap<String, Long>();
        ledgers.acked().forEach(one -> acked.put(one.marker(), one.nanos()));
        var table =
                ReportTable.of(
                        "Relay killed",
                        "round | in its memory | answers again after s | first redelivery after s");
        double latest = 0;
        for (RelayKill kill : kills) {
            var first = firstRedelivery(ledgers, acked, kill);
            double up = (kill.up() - kill.nanos()) / 1e9;
            table.row(kills.indexOf(kill) + 1, kill.deliveries(), up, first);
            latest = Math.max(latest, first.orElse(0) - up);
        }
        criteria.table(table)
                .inTime(
                        "seconds from its first answer to the first redelivery of what it had",
                        MAX_REDELIVERY_SECONDS,
                        Math.max(0, latest));
    }

    /// Returns the number of seconds from the kill until a sink next received an event that had
    /// been acknowledged before the kill. Ignores requests that were in flight at the time of the
    /// kill. Returns empty if no sink received such an event.
    private static OptionalDouble firstRedelivery(
            TestbedLedgers ledgers, Map<String, Long> acked, RelayKill kill) {
        long from = kill.nanos() + IN_TRANSIT_NANOS;
        var seconds = new ArrayList<Double>();
        for (int sink = 0; sink < FaultTestbed.MAX_CONNECTIONS_PER_SOURCE; sink++) {
            for (ReceivedEntry receipt : ledgers.received(sink)) {
                Long answered = acked.get(receipt.marker());
                if (answered != null && answered - kill.nanos() < 0 && receipt.nanos() - from > 0) {
                    seconds.add((receipt.nanos() - kill.nanos()) / 1e9);
                }
            }
        }
        return seconds.stream().mapToDouble(Double::doubleValue).min();
    }
}
