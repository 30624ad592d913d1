/// Measures latencies as well as the CPU time and memory that processes use, and describes the
/// machine.
///
/// The code reads Linux's `/proc`, so it works only on Linux.
@NullMarked
package dev.sluice.bench.measure;

import org.jspecify.annotations.NullMarked;
