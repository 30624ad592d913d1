/// Puts a running Sluice server under load and measures it. All traffic stays on the loopback
/// interface.
///
/// [dev.sluice.bench.Bench] runs a scenario. The load generator and the sink run as separate
/// processes, so that their CPU time can be measured separately.
@NullMarked
package dev.sluice.bench;

import org.jspecify.annotations.NullMarked;
