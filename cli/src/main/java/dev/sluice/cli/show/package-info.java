/// What the commands that follow a stream print.
@NullMarked
package dev.sluice.cli.show;

import org.jspecify.annotations.NullMarked;
