/// Programs between two ends of a connection: a TCP proxy that does harm, and an HTTP balancer.
@NullMarked
package dev.sluice.faults.wire;

import org.jspecify.annotations.NullMarked;
