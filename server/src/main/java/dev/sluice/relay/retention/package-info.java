/// What happens when an event's retention is over: it is told of before, what still waits then is
/// ended, and days that nobody may read any more are removed with their sums.
@NullMarked
package dev.sluice.relay.retention;

import org.jspecify.annotations.NullMarked;
