/// The file that contains an installation's data: rows of tables in PostgreSQL's binary COPY
/// format, compressed, with a header before them and a checksum after them. This package does not
/// refer to any particular table.
///
/// docs/reference/data-file.md describes the format byte by byte.
@NullMarked
package dev.sluice.platform.datafile;

import org.jspecify.annotations.NullMarked;
