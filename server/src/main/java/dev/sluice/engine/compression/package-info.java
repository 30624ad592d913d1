/// Compresses stored payloads with dictionaries of their sources, and decodes them.
@NullMarked
package dev.sluice.engine.compression;

import org.jspecify.annotations.NullMarked;
