/// Writes a whole installation to a data file and reads it into an empty database.
///
/// [InstallationTables] lists which tables are exported. docs/guide/backup.md is the page for
/// operators.
@NullMarked
package dev.sluice.relay.transfer;

import org.jspecify.annotations.NullMarked;
