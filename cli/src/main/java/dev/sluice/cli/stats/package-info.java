/// The `stats` command.
@NullMarked
package dev.sluice.cli.stats;

import org.jspecify.annotations.NullMarked;
