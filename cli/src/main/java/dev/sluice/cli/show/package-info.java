/// Prints the output of the commands that follow a stream.
@NullMarked
package dev.sluice.cli.show;

import org.jspecify.annotations.NullMarked;
