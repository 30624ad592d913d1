/// The commands `listen`, `tail` and `replay`: what they take, what they print, where events go.
@NullMarked
package dev.sluice.cli.listen;

import org.jspecify.annotations.NullMarked;
