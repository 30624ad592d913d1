package dev.sluice.cli.declare;

import dev.sluice.cli.shell.JsonTree;

import tools.jackson.databind.JsonNode;

import java.util.List;
import java.util.Locale;
import java.util.Map;

/// The kinds of resources that a file can contain, in the order in which they are created.
enum DeclaredKind {
    SOURCE,
    DESTINATION,
    CONNECTION;

    private static final List<String> SOURCE_FIELDS =
            List.of(
                    "name",
                    "description",
                    "color",
                    "token",
                    "status",
                    "verification_config",
                    "response_config");
    private static final List<String> DESTINATION_FIELDS =
            List.of(
                    "name",
                    "url",
                    "timeout_ms",
                    "auth_config",
                    "custom_headers",
                    "secret_headers",
                    "retry_policy",
                    "max_in_flight",
                    "rate_limit",
                    "status");
    private static final List<String> CONNECTION_FIELDS =
            List.of("enabled", "filter_rules", "transformation");

    private static final Map<String, String> NULL_MEANINGS =
            Map.of(
                    "verification_config", "{\"provider\":\"none\"}",
                    "timeout_ms", "10000",
                    "auth_config", "{\"type\":\"none\"}",
                    "custom_headers", "{}",
                    "secret_headers", "[]",
                    "retry_policy", "{\"intervals_seconds\":[30,120,600,3600,14400]}",
                    "max_in_flight", "32");

    /// Returns the name of the kind's list in the file, which is also the kind's path in the API.
    String list() {
        return word() + "s";
    }

    /// Returns the fields that a file may set, except a connection's `source` and `destination`,
    /// which identify the connection.
    List<String> fields() {
        return switch (this) {
            case SOURCE -> SOURCE_FIELDS;
            case DESTINATION -> DESTINATION_FIELDS;
            case CONNECTION -> CONNECTION_FIELDS;
        };
    }

    String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    /// Returns the value that the server stores if a file sets this field to `value`. This is
    /// `value` itself, unless `value` is null and the server stores a default instead.
    static JsonNode meaning(String field, JsonNode value) {
        String meaning = NULL_MEANINGS.get(field);
        return value.isNull() && meaning != null ? JsonTree.read(meaning) : value;
    }
}
