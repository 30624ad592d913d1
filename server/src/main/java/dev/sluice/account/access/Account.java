package dev.sluice.account.access;

import dev.sluice.platform.json.JsonObject;

import java.util.Locale;
import java.util.UUID;
import java.util.regex.Pattern;

/// A person who can sign in.
///
/// @param email the address, in the form that [#normalizedEmail] returns
/// @param passwordHash the result of [PasswordHasher#hash]
public record Account(UUID id, String email, String name, String passwordHash) {

    private static final int MAX_EMAIL_LENGTH = 254; // RFC 5321, section 4.5.3.1.3
    private static final Pattern EMAIL =
            Pattern.compile(
                    "[^@\\p{Cc}\\p{Cf}\\p{Cs}\\p{Z},;<>\"()\\[\\]\\\\]+@[^@\\p{Cc}\\p{Cf}\\p{Cs}\\p{Z},;<>\"()]+");

    /// Returns the account's public fields.
    public JsonObject json() {
        return new JsonObject().put("id", id).put("email", email).put("name", name);
    }

    /// Returns an e-mail address in lower case, the form in which addresses are stored and
    /// compared. (RFC 5321 lets a mail server distinguish upper and lower case, but no important
    /// mail server does.)
    ///
    /// @throws IllegalArgumentException if the text is not exactly one plain address
    public static String normalizedEmail(String text) {
        if (text.length() > MAX_EMAIL_LENGTH || !EMAIL.matcher(text).matches()) {
            throw new IllegalArgumentException(
                    "must be one e-mail address, such as a@example.com.");
        }
        return text.toLowerCase(Locale.ROOT);
    }
}
