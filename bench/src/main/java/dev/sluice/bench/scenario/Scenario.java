package dev.sluice.bench.scenario;

import dev.sluice.bench.report.Report;

/// One question put to a relay. Bounded in time, and leaves nothing running.
public interface Scenario {

    Report run();
}
