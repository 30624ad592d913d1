/// Deliveries that ended, above all those that ended badly: lists, summaries, groups. Only reads.
@NullMarked
package dev.sluice.observe.deadletters;

import org.jspecify.annotations.NullMarked;
