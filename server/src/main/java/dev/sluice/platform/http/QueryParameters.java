package dev.sluice.platform.http;

import dev.sluice.platform.json.FieldError;
import dev.sluice.platform.json.FieldReader;
import dev.sluice.platform.json.InvalidFieldsException;

import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.regex.Pattern;

/// Reads and checks a request's query parameters, much as [FieldReader] does for the fields of a
/// JSON body.
///
/// An invalid parameter is recorded as an error and treated as absent; `check` then reports all
/// errors together. Unknown parameters are ignored. A blank value counts as absent. Not
/// thread-safe.
public final class QueryParameters {

    private static final Pattern WHOLE_NUMBER = Pattern.compile("[-+]?[0-9]+");

    private static final int DATE_LENGTH = 10;

    /// The maximum length of `q` in Unicode code points.
    private static final int MAX_SEARCH_LENGTH = 2000;

    private final Request request;
    private final List<FieldError> errors = new ArrayList<>();
    private final SortedMap<String, String> values = new TreeMap<>();

    /// Whether at least one parameter could not be parsed. A value that can be parsed but is not
    /// allowed does not set this.
    private boolean isUnreadable;

    public QueryParameters(Request request) {
        this.request = request;
    }

    public boolean has(String name) {
        return request.parameterAsSent(name).isPresent();
    }

    /// Reads a string. A NUL character in it is an error, because PostgreSQL cannot store NUL in
    /// text.
    public Optional<String> text(String name) {
        return parsed(name, text -> text);
    }

    /// Reads the parameter `q`, the search text that each item in a list must contain.
    public Optional<String> searchText() {
        return text("q")
                .filter(text -> {
                    boolean fits = text.codePointCount(0, text.length()) <= MAX_SEARCH_LENGTH;
                    if (!fits) {
                        addError("q", "must have at most " + MAX_SEARCH_LENGTH + " characters.");
                    }
                    return fits;
                });
    }

    /// Reads the parameter `q`, for a list that is filtered in memory. Returns a predicate that is
    /// true for a string that contains `q`, ignoring case. Without `q`, it is true for every
    /// string.
    public Predicate<String> searchFilter() {
        String wanted = searchText().orElse("").toLowerCase(Locale.ROOT);
        return text -> text.toLowerCase(Locale.ROOT).contains(wanted);
    }

    public Optional<Integer> integer(String name, int min, int max) {
        return parsed(name, QueryParameters::integer)
                .filter(number -> {
                    boolean fits = number >= min && number <= max;
                    if (!fits) {
                        addError(name, "must be from " + min + " to " + max + ".");
                    }
                    return fits;
                })
                .map(Long::intValue);
    }

    /// Parses a whole number. Numbers outside the range of a `long` become its minimum or maximum,
    /// so they fail the range check that follows.
    private static long integer(String text) {
        if (!WHOLE_NUMBER.matcher(text).matches()) {
            throw new IllegalArgumentException("must be a whole number.");
        }
        try {
            return Long.parseLong(text);
        } catch (NumberFormatException e) {
            return text.startsWith("-") ? Long.MIN_VALUE : Long.MAX_VALUE;
        }
    }

    /// Reads a parameter that must be one of the keys of `meanings`, and returns what that key maps
    /// to.
    public <T> Optional<T> oneOf(String name, Map<String, T> meanings) {
        return text(name)
                .flatMap(text -> {
                    var meaning = Optional.ofNullable(meanings.get(text));
                    if (meaning.isEmpty()) {
                        addError(
                                name,
                                "must be one of "
                                        + String.join(", ", new TreeSet<>(meanings.keySet()))
                                        + ".");
                    }
                    return meaning;
                });
    }

    /// Reads one or more keys of `meanings`, separated by commas, and returns what they map to.
    public <T extends Enum<T>> Optional<Set<T>> anyOf(String name, Map<String, T> meanings) {
        return text(name)
                .flatMap(text -> {
                    var found = new ArrayList<T>();
                    for (String word : text.split(",", -1)) {
                        var meaning = Optional.ofNullable(meanings.get(word.strip()));
                        if (meaning.isEmpty()) {
                            addError(
                                    name,
                                    "must be a comma-separated list of any of "
                                            + String.join(", ", new TreeSet<>(meanings.keySet()))
                                            + ".");
                            return Optional.empty();
                        }
                        found.add(meaning.get());
                    }
                    return Optional.of(EnumSet.copyOf(found));
                });
    }

    public Optional<UUID> uuid(String name) {
        return parsed(name, QueryParameters::parseUuid);
    }

    /// Reads a list of up to `max` UUIDs, separated by commas.
    public Optional<Set<UUID>> uuids(String name, int max) {
        return parsed(name, QueryParameters::parseUuids)
                .filter(ids -> {
                    boolean fits = ids.size() <= max;
                    if (!fits) {
                        addError(name, "must have at most " + max + " ids.");
                    }
                    return fits;
                });
    }

    private static Set<UUID> parseUuids(String text) {
        Set<UUID> ids = new LinkedHashSet<>();
        for (String id : text.split(",", -1)) {
            try {
                ids.add(FieldReader.parseUuid(id.strip()));
            } catch (IllegalArgumentException e) {
                throw new IllegalArgumentException("must be a comma-separated list of UUIDs.", e);
            }
        }
        return ids;
    }

    private static UUID parseUuid(String text) {
        try {
            return FieldReader.parseUuid(text);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("must be a UUID.", e);
        }
    }

    public Optional<Instant> time(String name) {
        return parsed(name, QueryParameters::parseTime);
    }

    /// Parses an RFC 3339 time. A space is accepted in place of `T`. It is also accepted in place
    /// of `+`, because query decoding turns an unencoded `+` into a space.
    ///
    /// @throws IllegalArgumentException if the text is not a valid time; the message is the rest of
    ///   a sentence that starts with the parameter's name
    static Instant parseTime(String text) {
        String time = text.strip();
        if (time.indexOf(' ') == DATE_LENGTH) {
            time = time.replaceFirst(" ", "T");
        }
        return FieldReader.parseTime(time.replace(' ', '+'));
    }

    /// Reads a parameter and converts it with `parse`. When `parse` throws an
    /// `IllegalArgumentException`, the error is the parameter's name followed by the exception's
    /// message, such as "must be a UUID."
    public <T> Optional<T> parsed(String name, Function<String, T> parse) {
        var text = request.parameterAsSent(name);
        if (text.isEmpty()) {
            return Optional.empty();
        }
        values.put(name, text.get());
        try {
            if (FieldReader.hasNul(text.get())) {
                throw new IllegalArgumentException(FieldReader.NUL_REFUSAL);
            }
            return Optional.of(parse.apply(text.get()));
        } catch (IllegalArgumentException e) {
            isUnreadable = true;
            addError(name, String.valueOf(e.getMessage()));
            return Optional.empty();
        }
    }

    /// Returns the parameters that have been read so far, as they were sent. Absent parameters are
    /// left out.
    public SortedMap<String, String> values() {
        return new TreeMap<>(values);
    }

    /// Records that the value of `name` is not allowed. Use this for a rule that involves several
    /// parameters.
    ///
    /// @param message the rest of a sentence that starts with the parameter's name
    public void addError(String name, String message) {
        errors.add(new FieldError(name, name + " " + message));
    }

    /// Throws if any parameter is invalid; the exception reports all invalid parameters.
    ///
    /// @throws ApiException 400 when any parameter cannot be parsed, 422 when all can be parsed but
    ///   some values are not allowed
    public void check() {
        if (!errors.isEmpty()) {
            throw ApiException.of(
                    isUnreadable ? ApiErrorCode.MALFORMED_REQUEST : ApiErrorCode.VALIDATION_FAILED,
                    new InvalidFieldsException(errors));
        }
    }
}
