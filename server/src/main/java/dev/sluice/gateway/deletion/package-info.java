/// Deletes a workspace with its configuration.
@NullMarked
package dev.sluice.gateway.deletion;

import org.jspecify.annotations.NullMarked;
