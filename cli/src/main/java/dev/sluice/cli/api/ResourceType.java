package dev.sluice.cli.api;

import java.util.List;

/// A kind of thing that the API creates, reads, changes and deletes.
///
/// @param word for one of them
/// @param group the name of its commands
/// @param path below `/api/v1/`
/// @param example fields that one can be created with
/// @param columns of its table
/// @param isNamed whether each has a name that can stand for its id
/// @param isPaged whether its list takes `q`, and is paged without being asked to
public record ResourceType(
        String word,
        String group,
        String path,
        String example,
        List<Column> columns,
        boolean isNamed,
        boolean isPaged) {

    public static final ResourceType SOURCE =
            new ResourceType(
                    "source",
                    "sources",
                    "sources",
                    "name=Shop",
                    columns("id", "name", "status", "event_count", "ingest_path"),
                    true,
                    true);
    public static final ResourceType DESTINATION =
            new ResourceType(
                    "destination",
                    "destinations",
                    "destinations",
                    "name=App url=https://app.example.com/hook",
                    columns("id", "name", "url", "status", "circuit_state"),
                    true,
                    false);
    public static final ResourceType CONNECTION =
            new ResourceType(
                    "connection",
                    "connections",
                    "connections",
                    "source_id=ID destination_id=ID",
                    List.of(
                            Column.of("id"),
                            Column.of("source_id"),
                            new Column("destination", "destination.name"),
                            Column.of("enabled"),
                            new Column("filter", "filter_rules.operator"),
                            Column.of("created_at")),
                    false,
                    false);
    public static final ResourceType ALERT =
            new ResourceType(
                    "alert channel",
                    "alerts",
                    "alert-configs",
                    "channel=email config.to=oncall@example.com",
                    columns(
                            "id",
                            "channel",
                            "config",
                            "source_id",
                            "enabled",
                            "last_sent_at",
                            "last_error"),
                    false,
                    false);
    public static final ResourceType KEY =
            new ResourceType(
                    "API key",
                    "keys",
                    "api-keys",
                    "name=CI",
                    columns("id", "name", "prefix", "access", "last_used_at", "expires_at"),
                    true,
                    false);

    /// A field that one can be changed with.
    public String exampleOfChange() {
        return isNamed ? "status=paused" : "enabled:=false";
    }

    public static List<Column> columns(String... paths) {
        return java.util.Arrays.stream(paths).map(Column::of).toList();
    }
}
