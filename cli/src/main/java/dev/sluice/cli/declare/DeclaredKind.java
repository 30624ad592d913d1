package dev.sluice.cli.declare;

import dev.sluice.cli.shell.JsonTree;

import tools.jackson.databind.JsonNode;

import java.util.List;
import java.util.Locale;
import java.util.Map;

/// The kinds of things in a file, in the order in which they are made.
enum DeclaredKind {
    SOURCE,
    DESTINATION,
    CONNECTION;

    private static final List<String> SOURCE_FIELDS =
            List.of(
                    "name",
                    "description",
                    "color",
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

    /// Its list in the file, and its path in the API.
    String list() {
        return word() + "s";
    }

    /// The fields that a file may set, without those that name a connection.
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

    /// What the server makes of a null in this field.
    static JsonNode meaning(String field, JsonNode value) {
        String meaning = NULL_MEANINGS.get(field);
        return value.isNull() && meaning != null ? JsonTree.read(meaning) : value;
    }
}
