/// Workspaces: who owns sources, destinations, events and keys.
@NullMarked
package dev.sluice.account.workspace;

import org.jspecify.annotations.NullMarked;
