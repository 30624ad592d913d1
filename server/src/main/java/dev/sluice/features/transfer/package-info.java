/// Moves a whole installation to a file and into an empty database.
@NullMarked
package dev.sluice.features.transfer;

import org.jspecify.annotations.NullMarked;
