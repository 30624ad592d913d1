package dev.sluice.bench.scenario;

import dev.sluice.bench.report.BenchReport;

/// A measurement or test of a relay. It is bounded in time and leaves nothing running.
public interface Scenario {

    BenchReport run();
}
