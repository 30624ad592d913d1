package dev.sluice.features.transfer;

import dev.sluice.platform.datafile.DataFileException;
import dev.sluice.platform.datafile.DataFileHeader.TableLayout;
import dev.sluice.platform.datafile.DataFileReader;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/// What files of earlier versions have and this version does not.
///
/// The tables of files in format 1 were made by 38 migrations before one file replaced them. They
/// are those of today's migration 1, but for a column that was always null at the end.
final class FormerSchema {

    private static final int FORMAT = 1;
    private static final int LAST_MIGRATION = 38;

    /// A column that a file may have and that is not imported. It must be null in every row.
    ///
    /// @param advice what to do with a file that has values in it
    private record DroppedColumn(String table, String column, String advice) {}

    private static final List<DroppedColumn> DROPPED_COLUMNS =
            List.of(
                    new DroppedColumn(
                            "destination",
                            "custom_headers",
                            "start the version that wrote the file once with that database, and"
                                    + " export again"),
                    new DroppedColumn("event", "encoding", FormerPayloads.ADVICE));

    /// The tables that this version no longer has. They are imported, and a migration drops them.
    private static final Set<String> DROPPED_TABLES = Set.of("payload_dictionary", "alert_mailbox");

    /// The sequences of these tables, each with the highest value that a file may have.
    static final Map<String, Long> DROPPED_SEQUENCES =
            Map.of("payload_dictionary_number_seq", Integer.MAX_VALUE / 2L);

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

    /// Whether this is how a file of an earlier version describes a table that is gone.
    static boolean isDropped(TableLayout table) {
        return DROPPED_TABLES.contains(table.name())
                && ExportedTable.of(table.name()).layout(table.columns()).equals(table);
    }

    /// Returns the columns of a table in the file that are not imported, each with what to do with
    /// a file that has values in it.
    static Map<String, String> droppedColumns(TableLayout table) {
        return DROPPED_COLUMNS.stream()
                .filter(dropped ->
                        dropped.table().equals(table.name())
                                && table.columns().contains(dropped.column()))
                .collect(
                        Collectors.toUnmodifiableMap(DroppedColumn::column, DroppedColumn::advice));
    }

    /// Returns the columns of a table in the file that are imported.
    static List<String> keptColumns(TableLayout table) {
        var dropped = droppedColumns(table).keySet();
        return table.columns().stream().filter(column -> !dropped.contains(column)).toList();
    }
}
