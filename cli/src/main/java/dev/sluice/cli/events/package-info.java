/// The commands about events and dead letters.
@NullMarked
package dev.sluice.cli.events;

import org.jspecify.annotations.NullMarked;
