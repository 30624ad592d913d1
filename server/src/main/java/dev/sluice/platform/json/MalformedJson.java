package dev.sluice.platform.json;

/// Not JSON, or not a JSON object. The message is for the sender.
public final class MalformedJson extends RuntimeException {
    MalformedJson(String message) {
        super(message);
    }
}
