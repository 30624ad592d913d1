/// Load and measurements against a running Sluice, on loopback only.
///
/// [dev.sluice.bench.Bench] runs a scenario. The load generator and the sink are processes of their
/// own, so that their CPU time can be measured separately.
@NullMarked
package dev.sluice.bench;

import org.jspecify.annotations.NullMarked;
