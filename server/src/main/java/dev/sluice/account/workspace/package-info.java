/// Workspaces, which own sources, destinations, events and API keys.
@NullMarked
package dev.sluice.account.workspace;

import org.jspecify.annotations.NullMarked;
