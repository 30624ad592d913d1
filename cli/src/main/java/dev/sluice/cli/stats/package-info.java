/// The command `stats`.
@NullMarked
package dev.sluice.cli.stats;

import org.jspecify.annotations.NullMarked;
