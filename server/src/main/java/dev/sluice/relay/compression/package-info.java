/// Compresses the payloads of events with zstd, with a dictionary for each source, and decodes what
/// is stored. The only package that uses the zstd library, and that writes dictionaries.
@NullMarked
package dev.sluice.relay.compression;

import org.jspecify.annotations.NullMarked;
