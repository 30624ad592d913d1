package dev.sluice.gateway.connection;

import dev.sluice.platform.http.Header;
import dev.sluice.platform.json.JsonDocument;
import dev.sluice.platform.json.JsonValue;

import org.jspecify.annotations.Nullable;

import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/// What came in, as filters see it. One subject serves all filters of an event, so that the body is
/// read at most once, and only when a rule asks for it. Owned by one thread.
public final class FilterSubject {

    /// How many values of the body, and how many of the headers, all rules together may look at.
    /// Beyond it they find nothing: the sender chooses both, and their cost must have a bound. Some
    /// tens of milliseconds.
    private static final long EFFORT = 5_000_000;

    /// A header this long costs as much effort as a value more.
    private static final int CHARACTERS = 16;

    /// What stands at a path.
    sealed interface Found {

        record Nothing() implements Found {}

        /// The values of all headers of that name, joined.
        record InHeaders(String value) implements Found {}

        record InBody(JsonValue value) implements Found {}
    }

    private final List<Header> headers;
    private final byte[] body;
    private boolean isRead;
    private Optional<JsonValue> json = Optional.empty();
    private @Nullable Map<String, String> joined;
    private long headerEffort = EFFORT;

    /// @param body as it was received; not changed
    public FilterSubject(List<Header> headers, byte[] body) {
        this.headers = headers;
        this.body = body;
    }

    Found at(FilterPath path) {
        return switch (path) {
            case FilterPath.Header(_, String name) -> inHeaders(name);
            case FilterPath.Body(_, var steps) -> inBody(steps);
        };
    }

    private Found inHeaders(String name) {
        if (joined == null) {
            joined = joined(headers);
        }
        @Nullable String value = joined.get(name);
        headerEffort -= value == null ? 1 : 1 + value.length() / CHARACTERS;
        return value == null || headerEffort < 0 ? new Found.Nothing() : new Found.InHeaders(value);
    }

    /// By name in lower case.
    private static Map<String, String> joined(List<Header> headers) {
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

    private Found inBody(List<String> steps) {
        if (!isRead) {
            isRead = true;
            json = JsonDocument.read(body, EFFORT).map(JsonDocument::root);
        }
        var value = json;
        for (String step : steps) {
            value = value.flatMap(parent -> child(parent, step));
        }
        return value.<Found>map(Found.InBody::new).orElseGet(Found.Nothing::new);
    }

    private static Optional<JsonValue> child(JsonValue parent, String step) {
        return switch (parent.kind()) {
            case OBJECT -> parent.member(step);
            case ARRAY -> isIndex(step) ? parent.element(Integer.parseInt(step)) : Optional.empty();
            default -> Optional.empty();
        };
    }

    /// As JSON Pointer has it: no sign and no leading zero (RFC 6901, 4).
    private static boolean isIndex(String step) {
        return step.length() <= 9
                && step.chars().allMatch(c -> c >= '0' && c <= '9')
                && (step.length() == 1 || step.charAt(0) != '0');
    }
}
