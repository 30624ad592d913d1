package dev.sluice.observe.metrics;

import dev.sluice.observe.alerts.AlertMeter;
import dev.sluice.observe.alerts.AlertMeter.Fate;

/// Collects the metrics about alert messages.
final class AlertMetrics {

    private final AlertMeter meter;

    AlertMetrics(AlertMeter meter) {
        this.meter = meter;
    }

    void addTo(MetricList metrics) {
        metrics.counters(
                "sluice_alerts_sent",
                "Alert messages that a channel accepted.",
                "channel",
                meter.counts(Fate.SENT));
        metrics.counters(
                "sluice_alerts_failed",
                "Tries to send an alert message that failed.",
                "channel",
                meter.counts(Fate.FAILED));
        metrics.counters(
                "sluice_alerts_dropped",
                "Alert messages that were given up.",
                "channel",
                meter.counts(Fate.DROPPED));
        metrics.counters(
                "sluice_alerts_postponed",
                "Times that an alert had to wait because a limit on messages was reached.",
                "channel",
                meter.counts(Fate.POSTPONED));
    }
}
