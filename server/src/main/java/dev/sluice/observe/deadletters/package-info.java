/// The API's read-only view of finished deliveries, most of them failed: lists, summaries and
/// failure groups.
@NullMarked
package dev.sluice.observe.deadletters;

import org.jspecify.annotations.NullMarked;
