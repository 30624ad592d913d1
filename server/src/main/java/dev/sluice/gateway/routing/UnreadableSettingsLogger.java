package dev.sluice.gateway.routing;

import dev.sluice.gateway.connection.ConnectionQueries;
import dev.sluice.gateway.destination.DestinationStore;
import dev.sluice.gateway.source.SourceStore;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.List;
import java.util.Optional;

/// Logs an error when a node cannot read some settings of a source, destination or connection. If
/// the row changes later, logs the error again only if the list of unreadable settings has changed,
/// or if a source was restored from the trash. Never logs the error for deleted rows or for sources
/// in the trash.
final class UnreadableSettingsLogger {

    private static final Logger log = LoggerFactory.getLogger(UnreadableSettingsLogger.class);

    private UnreadableSettingsLogger() {}

    /// @param before the source as this node knew it before; empty if the node did not know it
    static void report(
            SourceStore.SourceVersion source, Optional<SourceStore.SourceVersion> before) {
        var fields = source.source().unreadableFields();
        if (isNew(
                        fields,
                        before.filter(each -> !each.isTrashed())
                                .map(each -> each.source().unreadableFields()))
                && !source.isTrashed()) {
            log.atError()
                    .addKeyValue("source_id", source.source().id())
                    .addKeyValue("fields", String.join(",", fields))
                    .log("source.read_failed");
        }
    }

    static void report(
            DestinationStore.DestinationVersion destination,
            Optional<DestinationStore.DestinationVersion> before) {
        var fields = destination.destination().unreadableFields();
        if (isNew(fields, before.map(each -> each.destination().unreadableFields()))
                && !destination.isDeleted()) {
            log.atError()
                    .addKeyValue("destination_id", destination.destination().id())
                    .addKeyValue("fields", String.join(",", fields))
                    .log("destination.read_failed");
        }
    }

    static void report(
            ConnectionQueries.ConnectionVersion connection,
            Optional<ConnectionQueries.ConnectionVersion> before) {
        var fields = connection.connection().unreadableFields();
        if (isNew(fields, before.map(each -> each.connection().unreadableFields()))
                && !connection.isDeleted()) {
            log.atError()
                    .addKeyValue("connection_id", connection.connection().id())
                    .addKeyValue("fields", String.join(",", fields))
                    .log("connection.read_failed");
        }
    }

    private static boolean isNew(List<String> fields, Optional<List<String>> before) {
        return !fields.isEmpty() && !before.equals(Optional.of(fields));
    }
}
