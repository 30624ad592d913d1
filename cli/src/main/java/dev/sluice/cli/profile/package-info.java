/// Which server and which API key a command uses, and the commands about that.
@NullMarked
package dev.sluice.cli.profile;

import org.jspecify.annotations.NullMarked;
