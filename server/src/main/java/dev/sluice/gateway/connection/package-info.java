/// Connections: one source to one destination.
@NullMarked
package dev.sluice.gateway.connection;

import org.jspecify.annotations.NullMarked;
