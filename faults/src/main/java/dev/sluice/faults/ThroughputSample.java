package dev.sluice.faults;

import dev.sluice.bench.measure.CpuSnapshot;
import dev.sluice.bench.measure.CpuUsage;
import dev.sluice.bench.measure.ProcessRole;
import dev.sluice.bench.platform.Wait;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/// A measurement of how many deliveries per second all relays together made during a period, and of
/// how much CPU time the relays and PostgreSQL used per delivery.
///
/// @param relayMicros the CPU time that all relays together used per delivery, in microseconds
record ThroughputSample(double deliveredPerSecond, double relayMicros, double postgresMicros) {

    /// Takes a sample of this duration.
    static ThroughputSample of(FaultTestbed testbed, Duration time) {
        var before = snapshots(testbed);
        long known = testbed.received();
        Wait.pause(time);
        var after = snapshots(testbed);
        long delivered = testbed.received() - known;
        double relays = 0;
        for (int relay = 1; relay < after.size(); relay++) {
            relays += cpuSeconds(before.get(relay), after.get(relay), ProcessRole.RELAY);
        }
        double postgres = cpuSeconds(before.getFirst(), after.getFirst(), ProcessRole.POSTGRES);
        double seconds = (after.getFirst().nanos() - before.getFirst().nanos()) / 1e9;
        return new ThroughputSample(
                delivered / seconds, relays * 1e6 / delivered, postgres * 1e6 / delivered);
    }

    /// Returns a CPU snapshot of PostgreSQL, followed by one of each relay.
    private static List<CpuSnapshot> snapshots(FaultTestbed testbed) {
        var snapshots = new ArrayList<CpuSnapshot>();
        snapshots.add(CpuSnapshot.now(Map.of(ProcessRole.POSTGRES, testbed.postgres().pid())));
        for (var relay : testbed.cluster().relays()) {
            snapshots.add(CpuSnapshot.now(Map.of(ProcessRole.RELAY, relay.pid())));
        }
        return snapshots;
    }

    private static double cpuSeconds(CpuSnapshot before, CpuSnapshot after, ProcessRole role) {
        return CpuUsage.between(before, after).seconds().getOrDefault(role, 0.0);
    }

    double totalMicros() {
        return relayMicros + postgresMicros;
    }
}
