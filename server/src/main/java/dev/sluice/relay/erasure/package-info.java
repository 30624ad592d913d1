/// Erases the data of deleted workspaces.
@NullMarked
package dev.sluice.relay.erasure;

import org.jspecify.annotations.NullMarked;
