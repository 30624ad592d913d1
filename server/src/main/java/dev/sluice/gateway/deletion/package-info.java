/// Deletes workspaces together with their configuration.
@NullMarked
package dev.sluice.gateway.deletion;

import org.jspecify.annotations.NullMarked;
