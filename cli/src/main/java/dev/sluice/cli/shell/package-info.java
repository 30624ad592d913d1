/// What a command sees of the process that runs it: variables, files, streams, exit codes and ways
/// to print.
@NullMarked
package dev.sluice.cli.shell;

import org.jspecify.annotations.NullMarked;
