package dev.sluice.features.metrics;

import dev.sluice.engine.RefusalReason;
import dev.sluice.engine.RelayGauges;
import dev.sluice.engine.RelayMeters;

import java.util.Map;
import java.util.TreeMap;

/// Collects the metrics about ingest and delivery. They cover what this process has accepted,
/// refused, stored and sent since it started, and what it has in memory now.
final class RelayMetrics {

    private final RelayMeters meters;
    private final RelayGauges gauges;

    RelayMetrics(RelayMeters meters, RelayGauges gauges) {
        this.meters = meters;
        this.gauges = gauges;
    }

    void addTo(MetricList metrics) {
        metrics.histogram(
                "sluice_ingest_request_duration_seconds",
                "Time from the beginning of an accepted webhook request to its answer.",
                meters.ingestDurations());
        metrics.counters(
                "sluice_ingest_refused_requests",
                "Webhook requests that were refused.",
                "reason",
                refusals());
        metrics.histograms(
                "sluice_commit_batch_size",
                "Events or results in one commit.",
                "journal",
                Map.of("events", meters.eventBatches(), "results", meters.resultBatches()));
        metrics.histograms(
                "sluice_commit_duration_seconds",
                "Time of one commit of events or results.",
                "journal",
                Map.of("events", meters.eventCommits(), "results", meters.resultCommits()));
        metrics.gauges(
                "sluice_commit_queue_items",
                "Events or results that wait for their commit.",
                "journal",
                Map.of(
                        "events", gauges.queuedEvents().getAsLong(),
                        "results", gauges.queuedResults().getAsLong()));
        metrics.counters(
                "sluice_delivery_attempts",
                "Attempts, by the class of the response or by the error.",
                "outcome",
                meters.attempts().counts());
        metrics.histogram(
                "sluice_delivery_attempt_duration_seconds",
                "Time of one attempt.",
                meters.attempts().durations());
        metrics.gauge(
                "sluice_delivery_attempts_in_flight",
                "Attempts that are under way.",
                gauges.attemptsInFlight().getAsLong());
        metrics.gauge(
                "sluice_delivery_attempts_limit",
                "Attempts that may be under way at a time.",
                gauges.attemptLimit().getAsLong());
        metrics.gauge(
                "sluice_delivery_paced_destinations",
                "Destinations that refused more than they can take, and get less.",
                gauges.pacedDestinations().getAsLong());
        metrics.gauge(
                "sluice_delivery_payload_bytes",
                "Memory of the payloads of deliveries.",
                gauges.payloadBytes().getAsLong());
    }

    private Map<String, Long> refusals() {
        Map<String, Long> refusals = new TreeMap<>();
        for (var reason : RefusalReason.values()) {
            refusals.put(reason.text(), gauges.refused().applyAsLong(reason));
        }
        return refusals;
    }
}
