/// Builds the observe layer: its objects, background tasks and routes. Only the root package and
/// the assemblies of higher layers import this package.
@NullMarked
package dev.sluice.observe.assembly;

import org.jspecify.annotations.NullMarked;
