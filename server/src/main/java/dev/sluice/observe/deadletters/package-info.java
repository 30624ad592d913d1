/// The API's read-only view of dead letters (failed and exhausted deliveries): lists, summaries and
/// failure groups. A list can also show other finished deliveries.
@NullMarked
package dev.sluice.observe.deadletters;

import org.jspecify.annotations.NullMarked;
