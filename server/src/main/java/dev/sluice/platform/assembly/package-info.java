/// The objects that all layers of the server share. Only the root package and the layers' assembly
/// packages import this package.
@NullMarked
package dev.sluice.platform.assembly;

import org.jspecify.annotations.NullMarked;
