/// The `listen`, `tail` and `replay` commands, their options, and the code that runs a stream until
/// it is done or stopped.
@NullMarked
package dev.sluice.cli.listen;

import org.jspecify.annotations.NullMarked;
