/// Statistics: how many events and deliveries there were, how they ended and how long attempts
/// took. Read from the usage counts, never from the events themselves.
@NullMarked
package dev.sluice.observe.stats;

import org.jspecify.annotations.NullMarked;
