/// Measures latencies, CPU time by process, and the properties of the machine.
///
/// The code reads Linux's `/proc`, so it works only on Linux.
@NullMarked
package dev.sluice.bench.measure;

import org.jspecify.annotations.NullMarked;
