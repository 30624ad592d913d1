package dev.sluice.gateway.connection;

import dev.sluice.platform.http.Header;
import dev.sluice.platform.json.JsonDocument;
import dev.sluice.platform.json.JsonValue;

import org.jspecify.annotations.Nullable;

import java.util.List;
import java.util.Optional;

/// What came in, as filters see it. One subject serves all filters of an event, so that the body is
/// read at most once, and only when a rule asks for it. Owned by one thread.
public final class FilterSubject {

    /// How many values of the body all rules together may look at. Beyond it they find nothing: the
    /// sender chooses the body, and its cost must have a bound. Some tens of milliseconds.
    private static final long EFFORT = 5_000_000;

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
        @Nullable String joined = null;
        for (var header : headers) {
            if (header.isNamed(name)) {
                String value = header.text();
                joined = joined == null ? value : joined + ", " + value;
            }
        }
        return joined == null ? new Found.Nothing() : new Found.InHeaders(joined);
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
