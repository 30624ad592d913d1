/// Statistics: how many events and deliveries there were, how they ended and how long attempts
/// took. The numbers come from the usage counts, not from the rows of events.
@NullMarked
package dev.sluice.observe.stats;

import org.jspecify.annotations.NullMarked;
