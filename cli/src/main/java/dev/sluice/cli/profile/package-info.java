/// Profiles, which determine the server and API key that a command uses, and the commands that
/// show, check and change profiles.
@NullMarked
package dev.sluice.cli.profile;

import org.jspecify.annotations.NullMarked;
