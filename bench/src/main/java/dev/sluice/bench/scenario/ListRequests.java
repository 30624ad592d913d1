package dev.sluice.bench.scenario;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;

import dev.sluice.bench.platform.TextResource;

import tools.jackson.databind.JsonNode;

import java.net.URLEncoder;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// The requests that the `lists` scenario sends. They are named templates from the resource
/// `list-requests.txt`. Each time a template is filled in, its values vary slightly.
///
/// @param ids the ids that replace placeholders such as `{source}`, keyed by the word in the
///   placeholder
/// @param pageItems the length of each list, keyed by the list's word in placeholders such as
///   `{page:source}`. Such a placeholder is replaced with the number of a random page of that list
/// @param events ids of some existing events
record ListRequests(
        Map<String, String> ids,
        Map<String, Long> pageItems,
        List<UUID> events,
        Instant from,
        Instant to,
        Random random) {

    private static final int PAGE_SIZE = 50;

    /// A temporary query parameter. [#fill] inserts it with a page number, and [#withCursor]
    /// replaces it with the cursor at the end of that page.
    private static final String PAGE_BEFORE = "after_page=";

    private static final Pattern PLACEHOLDER = Pattern.compile("\\{([a-z]+)(?::([^}]+))?}");

    /// Returns the templates, keyed by name.
    static Map<String, String> templates() {
        var templates = new LinkedHashMap<String, String>();
        TextResource.read(ListRequests.class, "list-requests.txt")
                .lines()
                .map(line -> line.split(" \\| ", 2))
                .forEach(part -> templates.put(part[0], part[1]));
        return templates;
    }

    /// @param number the number of the request; some of the filled-in values depend on it
    String fill(String template, int number) {
        return PLACEHOLDER
                .matcher(template)
                .replaceAll(found -> {
                    String argument = found.group(2) == null ? "" : found.group(2);
                    return Matcher.quoteReplacement(value(found.group(1), argument, number));
                });
    }

    /// Replaces `after_page=` and its page number, if present, with the cursor at the end of that
    /// page. Sends a request for that page to get the cursor. The parameter must be the last one.
    ///
    /// @param request the result of [#fill]
    /// @param ask sends a request and returns the response
    static String withCursor(String request, Function<String, JsonNode> ask) {
        int start = request.indexOf(PAGE_BEFORE);
        if (start < 0) {
            return request;
        }
        var page = ask.apply(request.replace(PAGE_BEFORE, "page="));
        String cursor = page.path("next_cursor").asString("");
        return request.substring(0, start) + "cursor=" + cursor;
    }

    private String value(String word, String argument, int number) {
        return switch (word) {
            case "event" -> {
                String id = events.get(number % events.size()).toString();
                yield argument.isEmpty() ? id : id.substring(0, Integer.parseInt(argument));
            }
            case "page" -> Long.toString(deepPage(requireNonNull(pageItems.get(argument))));
            case "cursor" -> PAGE_BEFORE + deepPage(requireNonNull(pageItems.get(argument)));
            case "last" -> Long.toString(requireNonNull(pageItems.get("all")) / PAGE_SIZE);
            case "range" -> timeRange();
            case "hex" -> Integer.toHexString(0xa0000 + number * 97);
            case "digit" -> Integer.toString(number % 10);
            default -> requireNonNull(ids.get(word), word);
        };
    }

    private long deepPage(long items) {
        long pages = items / PAGE_SIZE;
        return 1 + (long) (random.nextDouble() * pages);
    }

    /// Returns a random time range. It rarely starts or ends exactly on the minute, so it usually
    /// includes only part of its first and last minutes.
    private String timeRange() {
        var one = randomInstant(from, to, random);
        var other = randomInstant(from, to, random);
        boolean isBefore = one.isBefore(other);
        return "&received_after=%s&received_before=%s"
                .formatted(encoded(isBefore ? one : other), encoded(isBefore ? other : one));
    }

    static Instant randomInstant(Instant from, Instant to, Random random) {
        return from.plusMillis(
                (long) (random.nextDouble() * (to.toEpochMilli() - from.toEpochMilli())));
    }

    private static String encoded(Instant time) {
        return URLEncoder.encode(time.toString(), UTF_8);
    }
}
