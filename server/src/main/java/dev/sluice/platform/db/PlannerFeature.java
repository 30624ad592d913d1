package dev.sluice.platform.db;

/// A feature of PostgreSQL's planner or executor. [Tx#disable] switches the feature off for one
/// transaction in which wrong statistics would mislead the planner.
public enum PlannerFeature {
    SEQUENTIAL_SCAN("enable_seqscan"),
    BITMAP_SCAN("enable_bitmapscan"),
    SORT("enable_sort"),
    JIT("jit");

    private final String setting;

    PlannerFeature(String setting) {
        this.setting = setting;
    }

    String setting() {
        return setting;
    }
}
