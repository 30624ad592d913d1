/// Counters that are cheap to count in and can be read at any time.
@NullMarked
package dev.sluice.platform.meter;

import org.jspecify.annotations.NullMarked;
