/// Numbers about a run: latencies, CPU time by process, and the machine it ran on.
///
/// Reads Linux's `/proc`; nothing here works elsewhere.
@NullMarked
package dev.sluice.bench.measure;

import org.jspecify.annotations.NullMarked;
