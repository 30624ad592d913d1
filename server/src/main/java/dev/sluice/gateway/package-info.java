/// The gateway layer: sources, destinations, and the connections between them, as users configure
/// them.
///
/// This package contains the types that its subpackages share.
@NullMarked
package dev.sluice.gateway;

import org.jspecify.annotations.NullMarked;
