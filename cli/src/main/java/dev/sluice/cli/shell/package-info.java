/// The environment of a command: variables, files, standard streams, exit codes, and printing.
@NullMarked
package dev.sluice.cli.shell;

import org.jspecify.annotations.NullMarked;
