package dev.sluice.bench.scenario;

import dev.sluice.bench.report.BenchReport;

/// A measurement or test of a relay. Its duration is limited, and all processes that it started
/// have ended when [#run] returns.
public interface Scenario {

    BenchReport run();
}
