/// The `stats` command, which shows counts of events and deliveries.
@NullMarked
package dev.sluice.cli.stats;

import org.jspecify.annotations.NullMarked;
