package dev.sluice.gateway.filter;

import dev.sluice.platform.http.Header;
import dev.sluice.platform.json.JsonDocument;
import dev.sluice.platform.json.JsonValue;

import org.jspecify.annotations.Nullable;

import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/// The headers and body of one event, in the form in which filters read them.
///
/// All filters of an event share one instance. The body is parsed at most once, and only if a rule
/// needs it. Not thread-safe: each instance is used by one thread only.
public final class FilterInput {

    /// The maximum number of body values that all rules of an event together may visit, and also
    /// the maximum number of header values.
    ///
    /// After that, rules find nothing. The cost must be bounded because the sender chooses the body
    /// and the headers. This limit allows some tens of milliseconds of work.
    private static final long MAX_VISITED_VALUES = 5_000_000;

    /// Every 16 characters of a header count as one more visit, because a long value takes longer
    /// to read.
    private static final int CHARACTERS_PER_VISIT = 16;

    /// The value that a path refers to.
    sealed interface PathValue {

        record MissingPathValue() implements PathValue {}

        /// The values of all headers that have the name, joined by commas.
        record HeaderPathValue(String value) implements PathValue {}

        record BodyPathValue(JsonValue value) implements PathValue {}
    }

    private final List<Header> headers;
    private final byte[] body;
    private boolean isBodyRead;
    private Optional<JsonValue> json = Optional.empty();
    private @Nullable Map<String, String> joinedHeaders;
    private long headerVisitsLeft = MAX_VISITED_VALUES;

    /// @param body the body as received; never modified
    public FilterInput(List<Header> headers, byte[] body) {
        this.headers = headers;
        this.body = body;
    }

    PathValue valueAt(FilterPath path) {
        return switch (path) {
            case FilterPath.HeaderPath(_, String name) -> headerValue(name);
            case FilterPath.BodyPath(_, var steps) -> bodyValue(steps);
        };
    }

    private PathValue headerValue(String name) {
        if (joinedHeaders == null) {
            joinedHeaders = joinedHeaders(headers);
        }
        @Nullable String value = joinedHeaders.get(name);
        headerVisitsLeft -= value == null ? 1 : 1 + value.length() / CHARACTERS_PER_VISIT;
        return value == null || headerVisitsLeft < 0
                ? new PathValue.MissingPathValue()
                : new PathValue.HeaderPathValue(value);
    }

    /// Joins the values of headers that have the same name. The keys are in lower case.
    private static Map<String, String> joinedHeaders(List<Header> headers) {
        var builders = new HashMap<String, StringBuilder>();
        for (var header : headers) {
            builders.merge(
                    header.name().toLowerCase(Locale.ROOT),
                    new StringBuilder(header.text()),
                    (before, more) -> before.append(", ").append(more));
        }
        var joined = new HashMap<String, String>();
        builders.forEach((name, value) -> joined.put(name, value.toString()));
        return joined;
    }

    private PathValue bodyValue(List<String> steps) {
        if (!isBodyRead) {
            isBodyRead = true;
            json = JsonDocument.read(body, MAX_VISITED_VALUES).map(JsonDocument::root);
        }
        var value = json;
        for (String step : steps) {
            value = value.flatMap(parent -> child(parent, step));
        }
        return value.<PathValue>map(PathValue.BodyPathValue::new)
                .orElseGet(PathValue.MissingPathValue::new);
    }

    private static Optional<JsonValue> child(JsonValue parent, String step) {
        return switch (parent.type()) {
            case OBJECT -> parent.member(step);
            case ARRAY -> isIndex(step) ? parent.element(Integer.parseInt(step)) : Optional.empty();
            default -> Optional.empty();
        };
    }

    /// Whether the step is an array index as in JSON Pointer: without a sign or leading zeros (RFC
    /// 6901, section 4).
    private static boolean isIndex(String step) {
        return step.length() <= 9
                && step.chars().allMatch(c -> c >= '0' && c <= '9')
                && (step.length() == 1 || step.charAt(0) != '0');
    }
}
