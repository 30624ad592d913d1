package dev.sluice.bench.platform;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.UncheckedIOException;

/// Reads a text file from the class path.
public final class TextResource {

    private TextResource() {}

    /// @param neighbour a class in the package that contains the file
    public static String read(Class<?> neighbour, String name) {
        try (var resource = neighbour.getResourceAsStream(name)) {
            if (resource == null) {
                throw new IllegalStateException(name + " is not on the class path");
            }
            return new String(resource.readAllBytes(), UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
