package dev.sluice.features.alerts;

import dev.sluice.gateway.alertconfig.AlertChannel;
import dev.sluice.platform.meter.CounterFamily;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/// Counts the outcomes of the alert messages that this process has handled, by kind of channel.
/// Thread-safe.
public final class AlertMeter {

    /// The outcome of a message, or of one try at sending it.
    enum Fate {
        SENT,
        /// One try failed. Another try may follow.
        FAILED,
        /// The message was abandoned after a failed try. No other try follows.
        DROPPED,
        /// A limit was reached, so no message was composed. The news is reported later.
        POSTPONED
    }

    private record Key(Fate fate, AlertChannel channel) {}

    private final Map<Key, LongAdder> counters = new ConcurrentHashMap<>();

    void count(Fate fate, AlertChannel channel) {
        counters.computeIfAbsent(new Key(fate, channel), _ -> new LongAdder()).increment();
    }

    /// Returns the counters for the metrics.
    public List<CounterFamily> counters() {
        return List.of(
                family("sent", "Alert messages that a channel accepted.", Fate.SENT),
                family("failed", "Tries to send an alert message that failed.", Fate.FAILED),
                family("dropped", "Alert messages that were given up.", Fate.DROPPED),
                family(
                        "postponed",
                        "Times that an alert had to wait because a limit on messages was reached.",
                        Fate.POSTPONED));
    }

    private CounterFamily family(String name, String help, Fate fate) {
        return new CounterFamily("sluice_alerts_" + name, help, "channel", () -> counts(fate));
    }

    /// Returns how many times this outcome has occurred, for each kind of channel.
    Map<String, Long> counts(Fate fate) {
        Map<String, Long> counts = new TreeMap<>();
        for (var channel : AlertChannel.values()) {
            var counter = counters.get(new Key(fate, channel));
            counts.put(channel.text(), counter == null ? 0L : counter.sum());
        }
        return counts;
    }
}
