/// The wiring of the relay layer: its objects, its background tasks and its routes. Only the root
/// package and the assemblies of higher layers import this package.
@NullMarked
package dev.sluice.relay.assembly;

import org.jspecify.annotations.NullMarked;
