package dev.sluice.gateway.filter;

import dev.sluice.platform.http.Header;
import dev.sluice.platform.json.Effort;
import dev.sluice.platform.json.JsonDocument;
import dev.sluice.platform.json.JsonValue;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.StringJoiner;

/// The headers and body of one event, prepared for filters, together with an [Effort], which is the
/// CPU budget for evaluating the filters.
///
/// All filters that are evaluated for an event share one instance, and therefore one budget. The
/// body is parsed at most once, and only if a rule needs it. Each path is looked up once. Not
/// thread-safe.
public final class FilterInput {

    /// The cost of evaluating one rule, not counting the bytes that it reads.
    private static final int RULE_COST = 16;

    /// The cost of comparing the header name in a path with the name of one header. If the two
    /// names have the same length, that length is added to the cost. If they are equal, the length
    /// of the header's value is also added.
    private static final int HEADER_COST = 4;

    /// The base effort at ingest, which is enough for a thousand short rules on any event.
    /// `EFFORT_PER_BYTE` is added for each byte of the headers. Once the body is parsed,
    /// `EFFORT_PER_BYTE` is added for each of its bytes, and `EFFORT_PER_VALUE` for each of its
    /// names and values. With this effort, evaluating all of an event's filters takes at most four
    /// times the CPU time needed to parse the body, plus 250 µs. `FilterEffortTest` measures this.
    private static final int BASE_EFFORT = 48 * 1024;

    private static final double EFFORT_PER_BYTE = 0.6;
    private static final int EFFORT_PER_VALUE = 32;

    /// The value that a path refers to.
    sealed interface PathValue {

        /// Returns the value if it is a string, otherwise empty.
        Optional<String> string();

        record MissingPathValue() implements PathValue {
            @Override
            public Optional<String> string() {
                return Optional.empty();
            }
        }

        /// The value of a header. If several headers have this name, their values are joined by
        /// commas.
        record HeaderPathValue(String value) implements PathValue {
            @Override
            public Optional<String> string() {
                return Optional.of(value);
            }
        }

        /// A value in the body. If it is a string, it is decoded at most once.
        final class BodyPathValue implements PathValue {
            private final JsonValue json;
            private Optional<String> string = Optional.empty();

            BodyPathValue(JsonValue json) {
                this.json = json;
            }

            JsonValue json() {
                return json;
            }

            @Override
            public Optional<String> string() {
                if (string.isEmpty()) {
                    string = json.string();
                }
                return string;
            }
        }
    }

    private final List<Header> headers;
    private final byte[] body;
    private final Effort effort;
    private final boolean isProportional;
    private final Map<String, PathValue> found = new HashMap<>();
    private boolean isBodyRead;
    private Optional<JsonValue> json = Optional.empty();

    private FilterInput(List<Header> headers, byte[] body, Effort effort, boolean isProportional) {
        this.headers = headers;
        this.body = body;
        this.effort = effort;
        this.isProportional = isProportional;
    }

    /// Returns an input for ingest, whose effort grows with the event's size.
    ///
    /// @param body the body as received; it is neither copied nor modified
    public static FilterInput atIngest(List<Header> headers, byte[] body) {
        long headerBytes = 0;
        for (var header : headers) {
            headerBytes += header.name().length() + header.value().length();
        }
        var effort = Effort.of(BASE_EFFORT + (long) (EFFORT_PER_BYTE * headerBytes));
        return new FilterInput(headers, body, effort, true);
    }

    /// Returns an input with the given effort.
    ///
    /// @param body the body as received; it is neither copied nor modified
    public static FilterInput of(List<Header> headers, byte[] body, Effort effort) {
        return new FilterInput(headers, body, effort, false);
    }

    Effort effort() {
        return effort;
    }

    PathValue valueAt(FilterPath path) {
        effort.spend(RULE_COST);
        var known = found.get(path.text());
        if (known != null) {
            return known;
        }
        var value =
                switch (path) {
                    case FilterPath.HeaderPath(_, String name) -> headerValue(name);
                    case FilterPath.BodyPath(_, var steps) -> bodyValue(steps);
                };
        found.put(path.text(), value);
        return value;
    }

    private PathValue headerValue(String name) {
        effort.spend((long) HEADER_COST * headers.size());
        var values = new StringJoiner(", ");
        boolean isPresent = false;
        for (var header : headers) {
            if (header.name().length() == name.length()) {
                effort.spend(name.length());
            }
            if (header.isNamed(name)) {
                effort.spend(header.value().length());
                values.add(header.text());
                isPresent = true;
            }
        }
        return isPresent
                ? new PathValue.HeaderPathValue(values.toString())
                : new PathValue.MissingPathValue();
    }

    private PathValue bodyValue(List<FilterPath.PathStep> steps) {
        var value = json();
        for (var step : steps) {
            value = value.flatMap(parent -> child(parent, step));
        }
        return value.<PathValue>map(PathValue.BodyPathValue::new)
                .orElseGet(PathValue.MissingPathValue::new);
    }

    private Optional<JsonValue> json() {
        if (!isBodyRead) {
            isBodyRead = true;
            var document = JsonDocument.read(body, effort);
            json = document.map(JsonDocument::root);
            if (isProportional) {
                int values = document.map(JsonDocument::size).orElse(0);
                effort.add(
                        (long) (EFFORT_PER_BYTE * body.length) + (long) EFFORT_PER_VALUE * values);
            }
        }
        return json;
    }

    private static Optional<JsonValue> child(JsonValue parent, FilterPath.PathStep step) {
        return switch (parent.type()) {
            case OBJECT -> parent.member(step.name());
            case ARRAY ->
                    step.index().isPresent()
                            ? parent.element(step.index().getAsInt())
                            : Optional.empty();
            default -> Optional.empty();
        };
    }
}
