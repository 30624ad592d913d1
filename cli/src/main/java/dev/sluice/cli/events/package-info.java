/// The commands about events.
@NullMarked
package dev.sluice.cli.events;

import org.jspecify.annotations.NullMarked;
