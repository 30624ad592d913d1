/// Builds the gateway layer: its stores, the in-memory configuration, its background tasks and its
/// routes. Only the root package and the assemblies of higher layers import this package.
@NullMarked
package dev.sluice.gateway.assembly;

import org.jspecify.annotations.NullMarked;
