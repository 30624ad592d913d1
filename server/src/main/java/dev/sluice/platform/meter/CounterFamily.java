package dev.sluice.platform.meter;

import java.util.Map;
import java.util.function.Supplier;

/// Counters of one metric, told apart by the value of one label.
///
/// @param name the metric's name without the suffix `_total`
/// @param help one sentence that says what is counted
/// @param label the label's name
/// @param values returns the present count for each value of the label
public record CounterFamily(
        String name, String help, String label, Supplier<Map<String, Long>> values) {}
