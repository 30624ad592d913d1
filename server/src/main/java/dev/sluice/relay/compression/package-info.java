/// Compresses event payloads with zstd, using a separate dictionary for each source. Only this
/// package uses the zstd library and makes dictionaries.
@NullMarked
package dev.sluice.relay.compression;

import org.jspecify.annotations.NullMarked;
