/// Builds and starts the engine. May import every package of the engine.
@NullMarked
package dev.sluice.engine.assembly;

import org.jspecify.annotations.NullMarked;
