/// Builds the features. May import every feature.
@NullMarked
package dev.sluice.features.assembly;

import org.jspecify.annotations.NullMarked;
