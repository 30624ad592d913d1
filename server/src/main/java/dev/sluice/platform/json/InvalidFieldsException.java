package dev.sluice.platform.json;

import java.util.List;

/// Thrown to refuse a body or a query that is well-formed but has invalid fields.
///
/// The exception message contains the first error and the number of further errors.
public final class InvalidFieldsException extends RuntimeException {

    private final transient List<FieldError> errors;

    public InvalidFieldsException(List<FieldError> errors) {
        this(errors, errors.size());
    }

    /// @param errors the first errors, at least one
    /// @param count the total number of errors
    InvalidFieldsException(List<FieldError> errors, int count) {
        super(summary(errors.getFirst().message(), count - 1));
        this.errors = List.copyOf(errors);
    }

    public List<FieldError> errors() {
        return errors;
    }

    private static String summary(String first, int more) {
        return more == 0 ? first : first + " (and " + more + " more)";
    }
}
