/// Programs that run between the two ends of a connection: a TCP proxy that disturbs it, and an
/// HTTP load balancer.
@NullMarked
package dev.sluice.faults.wire;

import org.jspecify.annotations.NullMarked;
