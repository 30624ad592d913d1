package dev.sluice.cli.shell;

import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

import java.util.Arrays;
import java.util.stream.Collectors;

/// How a command prints its result.
public enum OutputFormat {
    /// Tables and sentences for human readers.
    PRETTY("pretty"),
    /// JSON for programs. This is usually the server's response, with the characters that a
    /// terminal obeys escaped. A stream prints one object per line.
    JSON("json"),
    /// For a list or a resource, only the ids. For a stream, only the lines on standard error, such
    /// as warnings and the summary.
    QUIET("quiet");

    private final String word;

    OutputFormat(String word) {
        this.word = word;
    }

    /// @throws IllegalArgumentException if there is no such format; the exception's message lists
    ///   the formats
    public static OutputFormat parse(String word) {
        return Arrays.stream(values())
                .filter(format -> format.word.equals(word))
                .findFirst()
                .orElseThrow(() ->
                        new IllegalArgumentException(
                                "'%s' is none of %s"
                                        .formatted(
                                                word,
                                                Arrays.stream(values())
                                                        .map(format -> format.word)
                                                        .collect(Collectors.joining(", ")))));
    }

    /// Converts the value of a command-line option.
    public static final class Converter implements ITypeConverter<OutputFormat> {

        @Override
        public OutputFormat convert(String value) {
            try {
                return parse(value);
            } catch (IllegalArgumentException e) {
                throw new TypeConversionException(String.valueOf(e.getMessage()));
            }
        }
    }
}
