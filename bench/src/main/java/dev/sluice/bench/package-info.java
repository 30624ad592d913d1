/// Load, crashes and measurements against a running Sluice, on loopback only.
///
/// [dev.sluice.bench.Bench] chooses a scenario and conducts it. The load generator and the sink are
/// processes of their own, so that each one's CPU time can be told apart.
@NullMarked
package dev.sluice.bench;

import org.jspecify.annotations.NullMarked;
