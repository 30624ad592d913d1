/// The command line tool. It talks HTTP to a server and shares no code with it.
@NullMarked
package dev.sluice.cli;

import org.jspecify.annotations.NullMarked;
