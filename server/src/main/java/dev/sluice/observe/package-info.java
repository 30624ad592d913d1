/// Nouns that several rooms of this floor speak of.
@NullMarked
package dev.sluice.observe;

import org.jspecify.annotations.NullMarked;
