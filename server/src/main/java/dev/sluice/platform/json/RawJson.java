package dev.sluice.platform.json;

/// JSON text that is written as it stands. Whoever makes one knows that it is valid.
public record RawJson(String text) {

    @Override
    public String toString() {
        return text;
    }
}
