package dev.sluice.cli.show;

import dev.sluice.cli.events.StoredEvent.StoredHeader;

import java.util.regex.Pattern;

/// The parts of an event that are printed in addition to its one-line summary.
///
/// @param isFull whether the event's body is printed in full
/// @param hasSecrets whether human-readable output shows credentials and signatures in headers
///   instead of masking them
public record PrintedParts(
        boolean hasHeaders,
        boolean hasBody,
        boolean hasResponse,
        boolean isFull,
        boolean hasSecrets) {

    public static final PrintedParts NONE = new PrintedParts(false, false, false, false, false);

    private static final String MASK = "***";

    /// Matches the names of headers whose values are secret because they give access or prove that
    /// a request is genuine.
    private static final Pattern SECRET =
            Pattern.compile(
                    "auth|cookie|signature|secret|token|password|api-?key|hmac",
                    Pattern.CASE_INSENSITIVE);

    /// Returns the parts that make up an event's payload: its headers and its whole body.
    public static PrintedParts payload(boolean hasSecrets) {
        return new PrintedParts(true, true, false, true, hasSecrets);
    }

    /// Formats a header as a human-readable line. A secret value is masked unless `hasSecrets`.
    String line(StoredHeader header) {
        boolean isMasked = !hasSecrets && SECRET.matcher(header.name()).find();
        return header.name() + ": " + (isMasked ? MASK : header.value());
    }

    private static final int MAX_LENGTH = 2_000;

    /// Shortens a long body for printing, unless `isFull`.
    String cut(String body) {
        return isFull || body.length() <= MAX_LENGTH ? body : body.substring(0, MAX_LENGTH) + " …";
    }
}
