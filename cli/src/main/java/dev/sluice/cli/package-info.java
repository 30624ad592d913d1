/// The `sluice` command line tool. It shares no code with the server.
@NullMarked
package dev.sluice.cli;

import org.jspecify.annotations.NullMarked;
