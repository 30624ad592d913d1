package dev.sluice.cli.declare;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.JsonNode;

import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/// Decides whether a field on the server already has the value that a file describes.
final class FieldComparison {

    /// The values that the server fills in if a configuration object lacks a field. The outer key
    /// is the object's name, and the inner key is the field's name.
    private static final Map<String, Map<String, String>> DEFAULTS =
            Map.of(
                    "verification_config", Map.of("tolerance_secs", "300"),
                    "response_config", Map.of("status", "200", "content_type", "json", "body", ""));

    private FieldComparison() {}

    /// @param hasNewSecrets whether a masked secret, which cannot be compared, counts as different
    static boolean isSame(String field, JsonNode wanted, JsonNode current, boolean hasNewSecrets) {
        return isSame(wanted, current, DEFAULTS.getOrDefault(field, Map.of()), hasNewSecrets);
    }

    private static boolean isSame(
            JsonNode wanted,
            JsonNode current,
            Map<String, String> defaults,
            boolean hasNewSecrets) {
        if (current.isString()
                && current.asString().equals(SecretReferences.MASK)
                && wanted.isString()) {
            return !hasNewSecrets;
        }
        if (wanted.isObject() && current.isObject()) {
            Set<String> keys = new HashSet<>(wanted.propertyNames());
            keys.addAll(current.propertyNames());
            return keys.stream()
                    .allMatch(key ->
                            isSameOrDefault(
                                    wanted.path(key),
                                    current.path(key),
                                    defaults.get(key),
                                    hasNewSecrets));
        }
        if (wanted.isArray() && current.isArray()) {
            return wanted.size() == current.size() && allSame(wanted, current, hasNewSecrets);
        }
        if (wanted.isNumber() && current.isNumber()) {
            return wanted.decimalValue().compareTo(current.decimalValue()) == 0;
        }
        boolean isAbsent = wanted.isNull() || wanted.isMissingNode();
        return isAbsent ? current.isNull() || current.isMissingNode() : wanted.equals(current);
    }

    private static boolean isSameOrDefault(
            JsonNode wanted, JsonNode current, @Nullable String fallback, boolean hasNewSecrets) {
        if (wanted.isMissingNode() && fallback != null) {
            return current.isMissingNode() || current.asString("").equals(fallback);
        }
        return isSame(wanted, current, Map.of(), hasNewSecrets);
    }

    private static boolean allSame(JsonNode wanted, JsonNode current, boolean hasNewSecrets) {
        for (int i = 0; i < wanted.size(); i++) {
            if (!isSame(wanted.path(i), current.path(i), Map.of(), hasNewSecrets)) {
                return false;
            }
        }
        return true;
    }
}
