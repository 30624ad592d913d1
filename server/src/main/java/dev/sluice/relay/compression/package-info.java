/// Compresses the payloads of events with zstd and a dictionary for each source. Only this package
/// uses the zstd library and makes dictionaries.
@NullMarked
package dev.sluice.relay.compression;

import org.jspecify.annotations.NullMarked;
