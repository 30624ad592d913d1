package dev.sluice.platform.json;

import java.util.List;

/// Well-formed JSON with wrong fields: all of them.
public final class InvalidFields extends RuntimeException {

    private final transient List<FieldError> errors;

    public InvalidFields(List<FieldError> errors) {
        super(summary(errors));
        this.errors = List.copyOf(errors);
    }

    public List<FieldError> errors() {
        return errors;
    }

    private static String summary(List<FieldError> errors) {
        String first = errors.getFirst().message();
        return errors.size() == 1 ? first : first + " (and " + (errors.size() - 1) + " more)";
    }
}
