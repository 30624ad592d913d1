/// Compression of event payloads with zstd and a dictionary for each source. Only this package uses
/// the zstd library, and only this package writes dictionaries.
@NullMarked
package dev.sluice.relay.compression;

import org.jspecify.annotations.NullMarked;
