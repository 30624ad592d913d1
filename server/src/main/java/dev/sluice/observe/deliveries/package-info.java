/// The list of a workspace's deliveries, and the search that it shares with the lists of dead
/// letters and events.
@NullMarked
package dev.sluice.observe.deliveries;

import org.jspecify.annotations.NullMarked;
