package dev.sluice.features.metrics;

import dev.sluice.platform.meter.LockFreeHistogram;

import io.prometheus.metrics.expositionformats.PrometheusTextFormatWriter;
import io.prometheus.metrics.model.snapshots.ClassicHistogramBuckets;
import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/// Collects the metrics for one response and writes them in the Prometheus text format. Not
/// thread-safe.
final class MetricList {

    static final String CONTENT_TYPE = PrometheusTextFormatWriter.CONTENT_TYPE;

    private final MetricSnapshots.Builder snapshots = MetricSnapshots.builder();

    /// @param name the metric's name without `_total`, which the format adds
    void counter(String name, String help, double value) {
        snapshots.metricSnapshot(
                CounterSnapshot.builder().name(name).help(help).dataPoint(count(value)).build());
    }

    /// @param values maps each label value to the metric's value
    void counters(String name, String help, String label, Map<String, ? extends Number> values) {
        var snapshot = CounterSnapshot.builder().name(name).help(help);
        values.forEach((labelValue, value) ->
                snapshot.dataPoint(
                        CounterSnapshot.CounterDataPointSnapshot.builder()
                                .labels(Labels.of(label, labelValue))
                                .value(value.doubleValue())
                                .build()));
        snapshots.metricSnapshot(snapshot.build());
    }

    private static CounterSnapshot.CounterDataPointSnapshot count(double value) {
        return CounterSnapshot.CounterDataPointSnapshot.builder().value(value).build();
    }

    void gauge(String name, String help, Number value) {
        snapshots.metricSnapshot(
                GaugeSnapshot.builder()
                        .name(name)
                        .help(help)
                        .dataPoint(
                                GaugeSnapshot.GaugeDataPointSnapshot.builder()
                                        .value(value.doubleValue())
                                        .build())
                        .build());
    }

    /// @param values maps each label value to the metric's value
    void gauges(String name, String help, String label, Map<String, ? extends Number> values) {
        var snapshot = GaugeSnapshot.builder().name(name).help(help);
        values.forEach((labelValue, value) ->
                snapshot.dataPoint(
                        GaugeSnapshot.GaugeDataPointSnapshot.builder()
                                .labels(Labels.of(label, labelValue))
                                .value(value.doubleValue())
                                .build()));
        snapshots.metricSnapshot(snapshot.build());
    }

    void histogram(String name, String help, LockFreeHistogram histogram) {
        snapshots.metricSnapshot(
                HistogramSnapshot.builder()
                        .name(name)
                        .help(help)
                        .dataPoint(dataPoint(Labels.EMPTY, histogram))
                        .build());
    }

    /// @param histograms maps each label value to its histogram
    void histograms(
            String name, String help, String label, Map<String, LockFreeHistogram> histograms) {
        var snapshot = HistogramSnapshot.builder().name(name).help(help);
        histograms.forEach((labelValue, histogram) ->
                snapshot.dataPoint(dataPoint(Labels.of(label, labelValue), histogram)));
        snapshots.metricSnapshot(snapshot.build());
    }

    private static HistogramSnapshot.HistogramDataPointSnapshot dataPoint(
            Labels labels, LockFreeHistogram histogram) {
        var state = histogram.state();
        return HistogramSnapshot.HistogramDataPointSnapshot.builder()
                .labels(labels)
                .classicHistogramBuckets(ClassicHistogramBuckets.of(state.bounds(), state.counts()))
                .sum(state.sum())
                .build();
    }

    String text() {
        var out = new ByteArrayOutputStream();
        try {
            PrometheusTextFormatWriter.create().write(out, snapshots.build());
        } catch (IOException e) {
            throw new UncheckedIOException(e); // cannot happen: the text is written to memory
        }
        return out.toString(StandardCharsets.UTF_8);
    }
}
