package dev.sluice.cli.show;

/// What is printed of each event besides its line.
///
/// @param isFull whether bodies are printed whole
public record PrintedParts(
        boolean hasHeaders, boolean hasBody, boolean hasResponse, boolean isFull) {

    public static final PrintedParts NONE = new PrintedParts(false, false, false, false);

    /// Headers and the whole body.
    public static final PrintedParts PAYLOAD = new PrintedParts(true, true, false, true);

    private static final int MAX_LENGTH = 2_000;

    /// Returns the part of a body that is printed.
    String cut(String body) {
        return isFull || body.length() <= MAX_LENGTH ? body : body.substring(0, MAX_LENGTH) + " …";
    }
}
