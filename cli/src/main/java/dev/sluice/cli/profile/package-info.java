/// Profiles, which say what server and API key a command uses, and the commands that show, check
/// and change them.
@NullMarked
package dev.sluice.cli.profile;

import org.jspecify.annotations.NullMarked;
