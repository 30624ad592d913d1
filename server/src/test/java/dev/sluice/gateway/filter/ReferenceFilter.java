package dev.sluice.gateway.filter;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sluice.platform.http.Header;

import org.jspecify.annotations.Nullable;

import tools.jackson.core.JacksonException;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.stream.Collectors;

/// A second, simple evaluation of filters, written from `docs/reference/filters.md`: it parses the
/// body into a tree and compares whatever it likes, for as long as it takes.
final class ReferenceFilter {

    private static final JsonMapper MAPPER =
            JsonMapper.builder(
                            JsonFactory.builder()
                                    .streamReadConstraints(
                                            StreamReadConstraints.builder()
                                                    .maxNumberLength(1000)
                                                    .maxStringLength(1 << 24)
                                                    .build())
                                    .build())
                    .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
                    .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
                    .build();

    private ReferenceFilter() {}

    /// @param rules `filter_rules`
    static boolean passes(String rules, List<Header> headers, byte[] body) {
        return passesGroup(
                Objects.requireNonNull(parse(rules.getBytes(UTF_8))), headers, parse(body));
    }

    private static @Nullable JsonNode parse(byte[] json) {
        try {
            return MAPPER.readTree(json);
        } catch (JacksonException e) {
            return null;
        }
    }

    private static boolean passesGroup(
            JsonNode group, List<Header> headers, @Nullable JsonNode body) {
        var results = new ArrayList<Boolean>();
        for (var rule : group.path("rules")) {
            results.add(
                    rule.has("rules")
                            ? passesGroup(rule, headers, body)
                            : passesRule(rule, headers, body));
        }
        return group.path("operator").asString().equals("and")
                ? !results.contains(false)
                : results.contains(true);
    }

    private static boolean passesRule(
            JsonNode rule, List<Header> headers, @Nullable JsonNode body) {
        var actual = find(rule.path("path").asString(), headers, body);
        var value = rule.path("value");
        return switch (rule.path("op").asString()) {
            case "eq" -> actual != null && isSame(actual, value);
            case "ne" -> actual == null || !isSame(actual, value);
            case "exists" -> (actual != null) == value.asBoolean();
            case "contains" -> actual != null && contains(actual, value);
            case "gt" -> actual != null && order(actual, value) > 0;
            case "lt" -> actual != null && order(actual, value) < 0;
            case "in" -> actual != null && value.valueStream().anyMatch(one -> isSame(actual, one));
            default -> throw new IllegalArgumentException(rule.toString());
        };
    }

    private static @Nullable JsonNode find(
            String path, List<Header> headers, @Nullable JsonNode body) {
        if (path.startsWith("headers.")) {
            String name = path.substring("headers.".length()).toLowerCase(Locale.ROOT);
            var values =
                    headers.stream()
                            .filter(header -> header.name().toLowerCase(Locale.ROOT).equals(name))
                            .map(Header::text)
                            .toList();
            return values.isEmpty()
                    ? null
                    : MAPPER.getNodeFactory().stringNode(String.join(", ", values));
        }
        var found = body;
        for (String step : path.substring("body.".length()).split("\\.", -1)) {
            if (found == null) {
                return null;
            }
            found =
                    found.isArray() && step.matches("0|[1-9][0-9]{0,8}")
                            ? found.get(Integer.parseInt(step))
                            : found.isObject() ? found.get(step) : null;
        }
        return found;
    }

    private static boolean contains(JsonNode actual, JsonNode value) {
        return actual.isArray()
                ? actual.valueStream().anyMatch(element -> isSame(element, value))
                : actual.isString()
                        && value.isString()
                        && actual.asString().contains(value.asString());
    }

    private static boolean isSame(JsonNode left, JsonNode right) {
        if (left.isNumber() && right.isNumber()) {
            return left.decimalValue().compareTo(right.decimalValue()) == 0;
        }
        if (left.isArray() && right.isArray()) {
            boolean isSame = left.size() == right.size();
            for (int i = 0; isSame && i < left.size(); i++) {
                isSame = isSame(left.get(i), right.get(i));
            }
            return isSame;
        }
        if (left.isObject() && right.isObject()) {
            return left.propertyStream()
                            .map(java.util.Map.Entry::getKey)
                            .collect(Collectors.toSet())
                            .equals(
                                    right.propertyStream()
                                            .map(java.util.Map.Entry::getKey)
                                            .collect(Collectors.toSet()))
                    && left.propertyStream()
                            .allMatch(member ->
                                    isSame(member.getValue(), right.get(member.getKey())));
        }
        return left.getNodeType() == right.getNodeType() && left.equals(right);
    }

    /// Returns 0 also if the two cannot be compared.
    private static int order(JsonNode left, JsonNode right) {
        if (left.isNumber() && right.isNumber()) {
            return left.decimalValue().compareTo(right.decimalValue());
        }
        if (!left.isString() || !right.isString()) {
            return 0;
        }
        int[] mine = left.asString().codePoints().toArray();
        int[] theirs = right.asString().codePoints().toArray();
        return java.util.Arrays.compare(mine, theirs);
    }
}
