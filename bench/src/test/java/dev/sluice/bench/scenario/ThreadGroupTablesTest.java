package dev.sluice.bench.scenario;

import static dev.sluice.bench.measure.ProcessRole.POSTGRES;
import static dev.sluice.bench.measure.ProcessRole.RELAY;
import static dev.sluice.bench.measure.ProcessRole.SINK;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.bench.measure.CpuUsage;
import dev.sluice.bench.measure.ThreadGroupUsage;
import dev.sluice.bench.report.BenchReport;

import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

class ThreadGroupTablesTest {

    @Test
    void a_row_for_each_group_has_a_column_for_each_measurement() {
        var tables = new ThreadGroupTables(RELAY, POSTGRES);
        tables.add(
                "cold",
                usage(
                        new ThreadGroupUsage(RELAY, "journal", 0.002, 30),
                        new ThreadGroupUsage(SINK, "main", 9, 9)),
                1e6 / 10,
                1 / 10.0);
        tables.add(
                "warm",
                usage(
                        new ThreadGroupUsage(RELAY, "journal", 0.001, 20),
                        new ThreadGroupUsage(POSTGRES, "sessions", 0.004, 50)),
                1e6 / 10,
                1 / 10.0);

        assertThat(text(tables))
                .containsSubsequence(
                        "threads             cold  warm\n",
                        "postgres: sessions     0   400\n",
                        "relay: journal       200   100\n",
                        "threads             cold  warm\n",
                        "postgres: sessions     0     5\n",
                        "relay: journal         3     2\n")
                .doesNotContain("sink");
    }

    @Test
    void the_groups_with_the_least_time_share_a_row() {
        var tables = new ThreadGroupTables(RELAY);
        tables.add(
                "idle",
                usage(
                        IntStream.rangeClosed(1, 30)
                                .mapToObj(place ->
                                        new ThreadGroupUsage(RELAY, "chore " + place, place, 1))
                                .toArray(ThreadGroupUsage[]::new)),
                1,
                1);

        assertThat(text(tables))
                .contains("relay: chore 7 ")
                .doesNotContain("relay: chore 6 ")
                .contains("relay: others      21\n")
                .contains("relay: others       6\n");
    }

    private static CpuUsage usage(ThreadGroupUsage... groups) {
        return new CpuUsage(Map.of(), List.of(groups), 0, 1);
    }

    private static String text(ThreadGroupTables tables) {
        var report = new BenchReport("test");
        tables.tables("CPU", "Switches").forEach(report::add);
        return report.toText();
    }
}
