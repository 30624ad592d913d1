package dev.sluice.platform.mail;

import java.util.Optional;
import java.util.UUID;
import java.util.regex.Pattern;

/// A plain-text mail message to one person.
///
/// @param to exactly one address, without a name
/// @param subject the subject; the constructor puts it on one line and shortens it to 120
///   characters
/// @param text the lines of the message, each ending with `\n`; the constructor replaces other
///   control, format and line-separator characters with spaces
/// @param id determines the `Message-ID`, so that a message that is sent twice is recognized as a
///   duplicate; if empty, a new `Message-ID` is generated
public record MailMessage(String to, String subject, String text, Optional<UUID> id) {

    static final int MAX_SUBJECT_LENGTH = 120;

    private static final Pattern ADDRESS =
            Pattern.compile("[^@\\s\\p{Z},;<>\"()\\[\\]\\\\]+@[^@\\s\\p{Z},;<>\"()]+");
    private static final Pattern INVISIBLE_RUN =
            Pattern.compile("[\\p{Cc}\\p{Cf}\\p{Cs}\\p{Zl}\\p{Zp}]+");
    private static final Pattern INVISIBLE_IN_LINES =
            Pattern.compile("[\\p{Cc}\\p{Cf}\\p{Cs}\\p{Zl}\\p{Zp}&&[^\n]]+");

    /// Creates a message that gets a new `Message-ID`.
    ///
    /// @throws IllegalArgumentException if `to` is not exactly one address
    public MailMessage(String to, String subject, String text) {
        this(to, subject, text, Optional.empty());
    }

    /// @throws IllegalArgumentException if `to` is not exactly one address
    public MailMessage {
        requireAddress(to);
        subject = oneLine(subject, MAX_SUBJECT_LENGTH);
        text = INVISIBLE_IN_LINES.matcher(text).replaceAll(" ");
    }

    /// Returns `text` if it is exactly one address without a name.
    ///
    /// @throws IllegalArgumentException if `text` is anything else
    public static String requireAddress(String text) {
        if (INVISIBLE_RUN.matcher(text).find()) {
            throw new IllegalArgumentException(
                    "must be an e-mail address without invisible characters");
        }
        if (text.length() > 254 || !ADDRESS.matcher(text).matches()) {
            throw new IllegalArgumentException("must be an e-mail address, not '" + text + "'");
        }
        return text;
    }

    /// Makes a string that a user chose, such as a name, safe to use inside a message. Replaces
    /// control characters, line breaks and invisible format characters (such as those that change
    /// the direction of text) with spaces, so that the text stays on one line. Shortens it to
    /// `maxLength` characters.
    public static String oneLine(String text, int maxLength) {
        String line = INVISIBLE_RUN.matcher(text).replaceAll(" ").strip();
        int length = line.codePointCount(0, line.length());
        return length <= maxLength
                ? line
                : line.substring(0, line.offsetByCodePoints(0, maxLength - 1)) + "…";
    }
}
