package dev.sluice.cli.api;

import java.util.List;

/// A kind of thing that the API creates, reads, changes and deletes.
///
/// @param word for one of them
/// @param path below `/api/v1/`
/// @param columns of its table
/// @param isNamed whether each has a name that can stand for its id
/// @param isPaged whether its list takes `q`, and is paged without being asked to
public record ResourceType(
        String word, String path, List<Column> columns, boolean isNamed, boolean isPaged) {

    public static final ResourceType SOURCE =
            new ResourceType(
                    "source",
                    "sources",
                    columns("id", "name", "status", "event_count", "ingest_path"),
                    true,
                    true);
    public static final ResourceType DESTINATION =
            new ResourceType(
                    "destination",
                    "destinations",
                    columns("id", "name", "url", "status", "circuit_state"),
                    true,
                    false);
    public static final ResourceType CONNECTION =
            new ResourceType(
                    "connection",
                    "connections",
                    List.of(
                            Column.of("id"),
                            Column.of("source_id"),
                            new Column("destination", "destination.name"),
                            Column.of("enabled"),
                            new Column("filter", "filter_rules.operator"),
                            Column.of("created_at")),
                    false,
                    false);
    public static final ResourceType KEY =
            new ResourceType(
                    "API key",
                    "api-keys",
                    columns("id", "name", "prefix", "access", "last_used_at", "expires_at"),
                    true,
                    false);

    public static List<Column> columns(String... paths) {
        return java.util.Arrays.stream(paths).map(Column::of).toList();
    }

    /// The name of its commands.
    public String group() {
        return equals(KEY) ? "keys" : path;
    }
}
