/// This process among others: its lease and heartbeat, taking over from processes that died, the
/// record of attempts in flight that outlives a killed process, and the detector of lost
/// deliveries.
@NullMarked
package dev.sluice.engine.node;

import org.jspecify.annotations.NullMarked;
