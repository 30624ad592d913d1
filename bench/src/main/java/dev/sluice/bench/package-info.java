/// Load and measurements against a running Sluice, on loopback only.
///
/// [dev.sluice.bench.Bench] runs a scenario. The load generator and the sink are processes of their
/// own, so that the CPU time of each can be measured.
@NullMarked
package dev.sluice.bench;

import org.jspecify.annotations.NullMarked;
