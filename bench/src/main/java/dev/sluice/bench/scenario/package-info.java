/// Most of the scenarios that `bench/run` can run, and the classes that they share.
@NullMarked
package dev.sluice.bench.scenario;

import org.jspecify.annotations.NullMarked;
