package dev.sluice.cli.api;

import java.util.List;

/// A type of resource, such as a source, that can be managed through the API.
///
/// @param word the singular noun used in messages
/// @param group the name of the type's command group
/// @param path the type's path relative to `/api/v1/`
/// @param example an example of the arguments that create a resource
/// @param columns the columns of a table that lists resources of this type
/// @param isNamed whether commands accept a resource's name instead of its id
/// @param isPaged whether the API pages the list of these resources even if the request does not
///   ask for a page
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

    /// Returns an example of an argument that changes a field.
    public String exampleOfChange() {
        return isNamed ? "status=paused" : "enabled:=false";
    }

    public static List<Column> columns(String... paths) {
        return java.util.Arrays.stream(paths).map(Column::of).toList();
    }
}
