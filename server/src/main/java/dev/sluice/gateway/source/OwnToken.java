package dev.sluice.gateway.source;

import dev.sluice.platform.json.FieldReader;
import dev.sluice.platform.json.Patch;

import java.util.regex.Pattern;

/// The field `token` of a new source: an ingest token that the user chooses, so that an
/// installation can be rebuilt with the same ingest URLs.
final class OwnToken {

    /// The minimum length. A random token of this length has about 131 bits of entropy, so nobody
    /// can guess it.
    private static final int MIN_LENGTH = 22;

    private static final int MAX_LENGTH = 64;

    private static final Pattern BASE62 =
            Pattern.compile("[0-9A-Za-z]{" + MIN_LENGTH + "," + MAX_LENGTH + "}");

    private OwnToken() {}

    static Patch<String> read(FieldReader input) {
        return input.parsed(
                "token",
                text -> {
                    if (!BASE62.matcher(text).matches()) {
                        throw new IllegalArgumentException(
                                "must have %d to %d letters (a to z, A to Z) and digits."
                                        .formatted(MIN_LENGTH, MAX_LENGTH));
                    }
                    return text;
                });
    }

    /// Records an error if a request to change a source contains `token`. The message says how to
    /// get a new token.
    static void refuse(FieldReader input) {
        if (input.rawValue("token").isPresent()) {
            input.addError(
                    "token",
                    "can only be set when the source is created. POST"
                            + " /api/v1/sources/{id}/rotate-token gives it a new one.");
        }
    }
}
