package dev.sluice.bench.scenario;

import static dev.sluice.bench.measure.ProcessRole.GENERATOR;
import static dev.sluice.bench.measure.ProcessRole.POSTGRES;
import static dev.sluice.bench.measure.ProcessRole.REFERENCE;
import static dev.sluice.bench.measure.ProcessRole.RELAY;
import static dev.sluice.bench.measure.ProcessRole.SINK;

import dev.sluice.bench.report.ReportTable;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.function.Function;

/// A table with a row for each [LoadMeasurement]: a label, the chosen columns, any further columns
/// that the scenario adds, the number of failures, and how many cores other programs used.
final class MeasurementTable {

    private final Set<MeasurementColumn> columns;
    private final ReportTable table;

    /// A column whose number is computed from the measurement.
    @SuppressWarnings("ImmutableEnumChecker") // the functions hold no state
    enum MeasurementColumn {
        ANSWERED_RATE("answered/s", m -> m.result().answeredPerSecond()),
        DELIVERED_RATE("delivered/s", LoadMeasurement::deliveredPerSecond),
        RELAY_CPU("relay µs", m -> m.usage().microsPerEvent(m.events(), RELAY)),
        POSTGRES_CPU("postgres µs", m -> m.usage().microsPerEvent(m.events(), POSTGRES)),
        TOTAL_CPU("relay+postgres µs", m -> m.usage().microsPerEvent(m.events(), RELAY, POSTGRES)),
        GENERATOR_CPU("generator µs", m -> m.usage().microsPerEvent(m.answered(), GENERATOR)),
        SINK_CPU("sink µs", m -> m.usage().microsPerEvent(m.events(), SINK)),
        ACK_P50("ack p50 ms", m -> m.result().latency().p50Ms()),
        ACK_P90("p90", m -> m.result().latency().p90Ms()),
        ACK_P99("p99", m -> m.result().latency().p99Ms()),
        ACK_P999("p99.9", m -> m.result().latency().p999Ms()),
        LATENESS_P99("generator late p99 ms", m -> m.result().lateness().p99Ms()),
        REFERENCE_CPU("CPU µs", m -> m.usage().microsPerEvent(m.events(), REFERENCE));

        private final String title;

        @SuppressWarnings("ImmutableEnumChecker") // the functions hold no state
        private final Function<LoadMeasurement, Object> value;

        MeasurementColumn(String title, Function<LoadMeasurement, Object> value) {
            this.title = title;
            this.value = value;
        }

        String title() {
            return title;
        }

        /// Returns the column's value, or NaN if it is not known.
        double number(LoadMeasurement measurement) {
            return switch (value.apply(measurement)) {
                case OptionalDouble known -> known.orElse(Double.NaN);
                case Number number -> number.doubleValue();
                default -> throw new IllegalStateException(title + " is not a number");
            };
        }
    }

    /// @param label the title of the first column
    /// @param more the titles of further columns, whose cells are passed to [#row]
    MeasurementTable(String title, String label, Set<MeasurementColumn> columns, String... more) {
        this.columns = EnumSet.copyOf(columns);
        var titles = new ArrayList<String>(List.of(label));
        columns.forEach(column -> titles.add(column.title));
        titles.addAll(List.of(more));
        titles.addAll(List.of("failures", "foreign cores"));
        table = new ReportTable(title, titles.toArray(String[]::new));
    }

    void row(Object label, LoadMeasurement measurement, Object... more) {
        var cells = new ArrayList<Object>(List.of(label));
        columns.forEach(column -> cells.add(column.value.apply(measurement)));
        cells.addAll(List.of(more));
        cells.add(measurement.result().failures());
        cells.add(measurement.usage().foreignCores());
        table.row(cells.toArray());
    }

    ReportTable table() {
        return table;
    }
}
