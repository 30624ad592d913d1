/// Erases the data of deleted workspaces.
@NullMarked
package dev.sluice.features.erasure;

import org.jspecify.annotations.NullMarked;
