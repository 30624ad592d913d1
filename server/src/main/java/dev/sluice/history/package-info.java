/// What the features that look back have in common: nouns that read what the engine wrote. Nothing
/// here writes.
@NullMarked
package dev.sluice.history;

import org.jspecify.annotations.NullMarked;
