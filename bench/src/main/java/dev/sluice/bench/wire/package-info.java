/// What stands between two ends of a connection and does harm to it: a line of TCP, and a balancer
/// of HTTP, which does none.
@NullMarked
package dev.sluice.bench.wire;

import org.jspecify.annotations.NullMarked;
