/// The tools tried on each other, with a relay of a few lines between them.
@NullMarked
package dev.sluice.bench;

import org.jspecify.annotations.NullMarked;
