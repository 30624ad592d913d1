/// Most scenarios of `bench/run`, and the classes that they share.
@NullMarked
package dev.sluice.bench.scenario;

import org.jspecify.annotations.NullMarked;
