package dev.sluice.gateway.filter;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sluice.platform.http.Header;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/// Generates filters and events that look for trouble: few names and values, so that many are
/// almost the same, and those values that are expensive to compare.
final class FilterGenerator {

    private static final List<String> NAMES = List.of("a", "b", "aa", "ab", "0", "1");
    private static final List<String> OPERATORS =
            List.of("eq", "ne", "contains", "exists", "gt", "lt", "in");
    private static final List<String> CHARACTERS =
            List.of(
                    "a",
                    "a",
                    "b",
                    "\\u0061",
                    "\\ud83d\\ude00",
                    "\ud83d\ude00",
                    "\u00e9",
                    "\\n",
                    "\\\"",
                    "\\\\",
                    "\u20ac");

    private final Random random;

    FilterGenerator(long seed) {
        this.random = new Random(seed);
    }

    private <T> T oneOf(List<T> choices) {
        return choices.get(random.nextInt(choices.size()));
    }

    private String repeated(int atMost, String separator, Supplier<String> part) {
        return IntStream.range(0, random.nextInt(atMost + 1))
                .mapToObj(_ -> part.get())
                .collect(Collectors.joining(separator));
    }

    /// Returns `filter_rules` with a few rules.
    String rules() {
        return group(true);
    }

    private String group(boolean isOutermost) {
        var rules = new ArrayList<String>();
        for (int left = 1 + random.nextInt(4); left > 0; left--) {
            rules.add(isOutermost && random.nextInt(4) == 0 ? group(false) : rule());
        }
        return "{\"operator\":\"%s\",\"rules\":[%s]}"
                .formatted(oneOf(List.of("and", "or")), String.join(",", rules));
    }

    private String rule() {
        String op = oneOf(OPERATORS);
        String value =
                switch (op) {
                    case "exists" -> oneOf(List.of("true", "false"));
                    case "gt", "lt" -> random.nextBoolean() ? number() : string();
                    case "in" -> "[" + value(2) + repeatedAfter(3) + "]";
                    default -> value(3);
                };
        return "{\"path\":\"%s\",\"op\":\"%s\",\"value\":%s}".formatted(path(), op, value);
    }

    private String repeatedAfter(int atMost) {
        String more = repeated(atMost, ",", () -> value(2));
        return more.isEmpty() ? "" : "," + more;
    }

    private String path() {
        if (random.nextInt(6) == 0) {
            return "headers." + oneOf(List.of("X-A", "x-a", "X-B"));
        }
        return IntStream.rangeClosed(0, random.nextInt(3))
                .mapToObj(_ -> oneOf(NAMES))
                .collect(Collectors.joining(".", "body.", ""));
    }

    String body() {
        return random.nextInt(12) == 0 ? "no json" : object(4);
    }

    List<Header> headers() {
        var headers = new ArrayList<Header>();
        for (int left = random.nextInt(4); left > 0; left--) {
            String value = repeated(4, "", () -> oneOf(List.of("a", "b", "\u00e9", "1")));
            headers.add(
                    new Header(
                            oneOf(List.of("X-A", "x-a", "X-B")),
                            new String(value.getBytes(UTF_8), ISO_8859_1)));
        }
        return headers;
    }

    private String value(int depth) {
        return switch (random.nextInt(depth > 0 ? 7 : 4)) {
            case 0 -> number();
            case 1, 2 -> string();
            case 3 -> oneOf(List.of("true", "false", "null"));
            case 4, 5 -> "[" + repeated(3, space() + ",", () -> value(depth - 1)) + "]";
            default -> object(depth - 1);
        };
    }

    private String object(int depth) {
        return "{" + repeated(4, "," + space(), () -> member(depth)) + "}";
    }

    private String member(int depth) {
        String name = random.nextInt(6) == 0 ? "\\u0061" : oneOf(NAMES);
        return "\"" + name + "\":" + space() + value(depth);
    }

    private String space() {
        return oneOf(List.of("", "", "", " ", "\n  "));
    }

    private String string() {
        return "\"" + repeated(random.nextInt(8) == 0 ? 40 : 4, "", () -> oneOf(CHARACTERS)) + "\"";
    }

    private String number() {
        String digits = oneOf(List.of("0", "1", "10", "12", "100", "12" + "0".repeat(30)));
        String fraction = oneOf(List.of("", "", ".0", ".5", ".50", ".05", ".00", ".012"));
        String exponent = oneOf(List.of("", "", "", "e1", "E-1", "e+2", "e-002", "e0"));
        return oneOf(List.of("", "", "-")) + digits + fraction + exponent;
    }
}
