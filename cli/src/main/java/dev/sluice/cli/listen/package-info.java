/// The commands `listen`, `tail` and `replay`: their options, their output, and the routing of
/// events to local addresses.
@NullMarked
package dev.sluice.cli.listen;

import org.jspecify.annotations.NullMarked;
