package dev.sluice.features.transfer;

import java.util.Optional;

/// The result of an export or an import.
///
/// @param rows the number of rows in all tables
/// @param events the number of rows in the table `event`
/// @param unreadable the number of sealed values that could not be opened and were copied unchanged
/// @param migrationFailure why the schema could not be migrated after the rows were written; empty
///   if it was migrated
public record TransferSummary(
        long rows, long events, long unreadable, Optional<String> migrationFailure) {

    static final TransferSummary NONE = new TransferSummary(0, 0, 0, Optional.empty());

    TransferSummary plus(String table, long more) {
        return new TransferSummary(
                rows + more,
                table.equals("event") ? events + more : events,
                unreadable,
                migrationFailure);
    }

    TransferSummary withUnreadable(long values) {
        return new TransferSummary(rows, events, values, migrationFailure);
    }

    TransferSummary withMigrationFailure(String reason) {
        return new TransferSummary(rows, events, unreadable, Optional.of(reason));
    }
}
