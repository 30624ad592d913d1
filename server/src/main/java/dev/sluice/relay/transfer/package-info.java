/// Writes a whole installation to a data file and reads it into an empty database.
///
/// [InstallationTables] lists which tables are exported. Operators can find instructions in
/// docs/guide/backup.md.
@NullMarked
package dev.sluice.relay.transfer;

import org.jspecify.annotations.NullMarked;
