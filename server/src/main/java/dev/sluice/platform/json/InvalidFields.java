package dev.sluice.platform.json;

import java.util.List;

/// Something well-formed with wrong fields.
public final class InvalidFields extends RuntimeException {

    private final transient List<FieldError> errors;

    public InvalidFields(List<FieldError> errors) {
        this(errors, errors.size());
    }

    /// @param errors at least one, and the first of all
    /// @param count of all
    InvalidFields(List<FieldError> errors, int count) {
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
