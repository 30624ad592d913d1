/// One file per question: how fast, how fast without deliveries, is anything lost in a crash, does
/// one destination hold up another.
@NullMarked
package dev.sluice.bench.scenario;

import org.jspecify.annotations.NullMarked;
