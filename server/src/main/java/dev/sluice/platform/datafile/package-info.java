/// Reads and writes the file that contains an installation's data. The file consists of a header,
/// compressed table rows in PostgreSQL's binary COPY format, and a checksum. This package does not
/// refer to any particular table.
///
/// docs/reference/data-file.md describes the format byte by byte.
@NullMarked
package dev.sluice.platform.datafile;

import org.jspecify.annotations.NullMarked;
