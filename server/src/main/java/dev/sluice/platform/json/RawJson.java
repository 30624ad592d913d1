package dev.sluice.platform.json;

/// JSON text that is written unchanged, without being parsed again. Its creator guarantees that the
/// text is valid JSON.
public record RawJson(String text) {

    @Override
    public String toString() {
        return text;
    }
}
