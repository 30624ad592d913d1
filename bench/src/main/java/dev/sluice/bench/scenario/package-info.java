/// The measurements of `bench/run`, with one class for each scenario.
@NullMarked
package dev.sluice.bench.scenario;

import org.jspecify.annotations.NullMarked;
