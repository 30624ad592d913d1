/// Enforces retention: announces deliveries that will expire, ends those that have expired, and
/// drops the day partitions that are older than any plan's retention, together with their sums.
@NullMarked
package dev.sluice.relay.retention;

import org.jspecify.annotations.NullMarked;
