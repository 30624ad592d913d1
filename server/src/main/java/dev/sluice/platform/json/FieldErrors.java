package dev.sluice.platform.json;

import java.util.ArrayList;
import java.util.List;
import java.util.NavigableSet;
import java.util.TreeSet;

/// Collects the field errors in one JSON body.
///
/// It counts every error but lists only the first ones, because the sender controls how many errors
/// there are. Not thread-safe.
final class FieldErrors {

    /// The maximum number of errors that are listed. Further errors are only counted.
    static final int MAX_LISTED_ERRORS = 100;

    private final List<FieldError> listed = new ArrayList<>();
    private final NavigableSet<String> fields = new TreeSet<>();
    private int count;

    /// @param field the full path of the field
    /// @param message the rest of a sentence that starts with the path, such as "must be a string."
    void add(String field, String message) {
        count++;
        fields.add(field);
        if (listed.size() < MAX_LISTED_ERRORS) {
            listed.add(new FieldError(field, field + " " + message));
        }
    }

    /// Whether the field or one of its elements has an error, even one that is not listed.
    boolean has(String field) {
        String element = fields.ceiling(field + ".");
        return fields.contains(field) || (element != null && element.startsWith(field + "."));
    }

    /// @throws InvalidFieldsException when at least one error was added
    void check() {
        if (count > 0) {
            throw new InvalidFieldsException(listed, count);
        }
    }
}
