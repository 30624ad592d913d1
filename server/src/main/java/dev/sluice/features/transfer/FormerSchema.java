package dev.sluice.features.transfer;

import dev.sluice.platform.datafile.DataFileException;
import dev.sluice.platform.datafile.DataFileHeader.TableLayout;
import dev.sluice.platform.datafile.DataFileReader;

import java.util.List;
import java.util.Map;
import java.util.Set;

/// The schema of files in format 1, which 38 migrations made before one file replaced them. The
/// tables are those of today's migration 1, but for a column that was always null at the end.
final class FormerSchema {

    private static final int FORMAT = 1;
    private static final int LAST_MIGRATION = 38;

    private static final Map<String, Set<String>> DROPPED_COLUMNS =
            Map.of("destination", Set.of("custom_headers"));

    private FormerSchema() {}

    /// Returns the number of the migration that makes the tables of a file.
    ///
    /// @throws DataFileException if the file is in format 1 and older than the last schema of it
    static int migration(DataFileReader file) {
        var origin = file.header().origin();
        if (file.format() != FORMAT) {
            return origin.schemaVersion();
        }
        if (origin.schemaVersion() != LAST_MIGRATION) {
            throw new DataFileException(
                    "The file has the tables of an older version of Sluice ("
                            + origin.version()
                            + ", schema "
                            + origin.schemaVersion()
                            + "). Import it with the version before this one, whose schema is "
                            + LAST_MIGRATION
                            + ", and export it again.");
        }
        return 1;
    }

    /// Returns the columns of a table in the file that the database has, too.
    static List<String> keptColumns(DataFileReader file, TableLayout table) {
        return file.format() == FORMAT
                ? table.columns().stream()
                        .filter(column ->
                                !DROPPED_COLUMNS
                                        .getOrDefault(table.name(), Set.of())
                                        .contains(column))
                        .toList()
                : table.columns();
    }
}
