/// Profiles: which server and which API key a command uses, and the commands that show, check and
/// change this.
@NullMarked
package dev.sluice.cli.profile;

import org.jspecify.annotations.NullMarked;
