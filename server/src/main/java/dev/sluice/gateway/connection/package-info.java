/// Connections. Each connection sends events from one source to one destination, and may have a
/// filter and a transformation.
@NullMarked
package dev.sluice.gateway.connection;

import org.jspecify.annotations.NullMarked;
