package dev.sluice.account.people;

import dev.sluice.platform.json.FieldReader;
import dev.sluice.platform.json.Patch;
import dev.sluice.platform.secret.Secret;

/// Reads passwords from a request's body.
public final class PasswordFields {

    static final int MIN_LENGTH = 8;
    static final int MAX_LENGTH = 128;

    private PasswordFields() {}

    /// Reads a new password to set. The field is required.
    public static Patch<Secret> newPassword(FieldReader input, String field) {
        return input.required(field, input.visibleText(field, MIN_LENGTH, MAX_LENGTH))
                .map(Secret::new);
    }

    /// Reads a password to be checked, which must have 1 to 1,000 characters. The field is
    /// required.
    public static Secret given(FieldReader input, String field) {
        return new Secret(input.required(field, input.text(field, 1, 1_000)).orElse(""));
    }
}
