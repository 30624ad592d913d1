package dev.sluice.platform.http;

import dev.sluice.platform.json.FieldError;
import dev.sluice.platform.json.Form;
import dev.sluice.platform.json.InvalidFields;

import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.function.Function;
import java.util.regex.Pattern;

/// The query of a request read parameter by parameter, as a form reads a body's fields.
///
/// A parameter that is wrong is noted and reads as left out; `check` then reports all of them at
/// once. Parameters that nobody asks for are ignored. Owned by one thread.
public final class Query {

    private static final Pattern WHOLE = Pattern.compile("[-+]?[0-9]+");

    private static final int DATE_LENGTH = 10;

    private final Request request;
    private final List<FieldError> errors = new ArrayList<>();
    private boolean isUnreadable;

    public Query(Request request) {
        this.request = request;
    }

    boolean has(String name) {
        return request.parameterAsSent(name).isPresent();
    }

    /// Any text without NUL, which no database text can hold.
    public Optional<String> text(String name) {
        return parsed(name, text -> text);
    }

    public Optional<Integer> whole(String name, int least, int most) {
        return parsed(name, Query::whole)
                .filter(number -> {
                    boolean fits = number >= least && number <= most;
                    if (!fits) {
                        complain(name, "must be from " + least + " to " + most + ".");
                    }
                    return fits;
                })
                .map(Long::intValue);
    }

    /// The greatest long, or the least, for what is beyond.
    private static long whole(String text) {
        if (!WHOLE.matcher(text).matches()) {
            throw new IllegalArgumentException("must be a whole number.");
        }
        try {
            return Long.parseLong(text);
        } catch (NumberFormatException e) {
            return text.startsWith("-") ? Long.MIN_VALUE : Long.MAX_VALUE;
        }
    }

    /// One of the words that `meanings` knows.
    public <T> Optional<T> oneOf(String name, Map<String, T> meanings) {
        return text(name)
                .flatMap(text -> {
                    var meaning = Optional.ofNullable(meanings.get(text));
                    if (meaning.isEmpty()) {
                        complain(
                                name,
                                "must be one of "
                                        + String.join(", ", new TreeSet<>(meanings.keySet()))
                                        + ".");
                    }
                    return meaning;
                });
    }

    /// Any of the words that `meanings` knows, separated by commas.
    public <T extends Enum<T>> Optional<Set<T>> someOf(String name, Map<String, T> meanings) {
        return text(name)
                .flatMap(text -> {
                    var found = new ArrayList<T>();
                    for (String word : text.split(",", -1)) {
                        var meaning = Optional.ofNullable(meanings.get(word.strip()));
                        if (meaning.isEmpty()) {
                            complain(
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
        return parsed(name, Query::uuidOf);
    }

    private static UUID uuidOf(String text) {
        try {
            return Form.uuidOf(text);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("must be a UUID.", e);
        }
    }

    public Optional<Instant> time(String name) {
        return parsed(name, Query::timeOf);
    }

    /// As RFC 3339 has it, where a space may stand for the `T`, and for a `+` that was not encoded.
    ///
    /// @throws IllegalArgumentException with a message that continues the parameter's name
    static Instant timeOf(String text) {
        String time = text.strip();
        if (time.indexOf(' ') == DATE_LENGTH) {
            time = time.replaceFirst(" ", "T");
        }
        return Form.timeOf(time.replace(' ', '+'));
    }

    /// What `parse` makes of the text; its `IllegalArgumentException` says why it cannot be read, a
    /// message that continues the parameter's name.
    public <T> Optional<T> parsed(String name, Function<String, T> parse) {
        var text = request.parameterAsSent(name);
        if (text.isEmpty()) {
            return Optional.empty();
        }
        try {
            if (text.get().indexOf('\0') >= 0) {
                throw new IllegalArgumentException("must not contain the NUL character.");
            }
            return Optional.of(parse.apply(text.get()));
        } catch (IllegalArgumentException e) {
            isUnreadable = true;
            complain(name, String.valueOf(e.getMessage()));
            return Optional.empty();
        }
    }

    private void complain(String name, String message) {
        errors.add(new FieldError(name, name + " " + message));
    }

    /// @throws ApiException with every wrong parameter: 400 when one of them cannot be read,
    ///   otherwise 422
    public void check() {
        if (!errors.isEmpty()) {
            throw ApiException.of(
                    isUnreadable ? ErrorStatus.MALFORMED_REQUEST : ErrorStatus.VALIDATION_FAILED,
                    new InvalidFields(errors));
        }
    }
}
