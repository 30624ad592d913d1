/// The `listen`, `tail` and `replay` commands: their options, their output, and the routing of
/// events to local addresses.
@NullMarked
package dev.sluice.cli.listen;

import org.jspecify.annotations.NullMarked;
