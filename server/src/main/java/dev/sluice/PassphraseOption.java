package dev.sluice;

import dev.sluice.platform.secret.Secret;

import org.jspecify.annotations.Nullable;

import java.io.Console;
import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;

/// The arguments of `export-data` and `import-data`: a file, and where its passphrase comes from.
///
/// @param file a path, or `-` for standard input or output
/// @param isAsked whether `--passphrase` is given, which makes `export-data` prompt for a
///   passphrase. `import-data` does not accept it
/// @param source the file whose first line is the passphrase; empty if `--passphrase-file` is not
///   given
record PassphraseOption(String file, boolean isAsked, Optional<Path> source) {

    private static final String ASK = "--passphrase";
    private static final String FROM_FILE = "--passphrase-file";
    private static final int MIN_LENGTH = 8;

    /// A function that prompts for a passphrase on the terminal. It takes the prompt's text and
    /// returns what the user types, or empty if the process has no terminal.
    interface Terminal extends Function<String, Optional<Secret>> {}

    /// Returns a terminal that prompts on this process's own terminal and does not echo what the
    /// user types.
    static Terminal onTerminal() {
        return prompt -> {
            @Nullable Console console = System.console();
            if (console == null || !console.isTerminal()) {
                return Optional.empty();
            }
            char @Nullable [] typed = console.readPassword("%s: ", prompt);
            return Optional.of(new Secret(typed == null ? "" : new String(typed)));
        };
    }

    /// Parses the arguments. Returns empty if they are invalid.
    static Optional<PassphraseOption> parse(List<String> arguments) {
        var words = new ArrayList<>(arguments);
        boolean isAsked = words.remove(ASK);
        Optional<Path> source = Optional.empty();
        int at = words.indexOf(FROM_FILE);
        if (at >= 0 && at + 1 < words.size()) {
            words.remove(at);
            source = Optional.of(Path.of(words.remove(at)));
        }
        boolean isFile =
                words.size() == 1
                        && (words.getFirst().equals("-") || !words.getFirst().startsWith("-"));
        return isFile && !(isAsked && source.isPresent())
                ? Optional.of(new PassphraseOption(words.getFirst(), isAsked, source))
                : Optional.empty();
    }

    boolean isStandardStream() {
        return file.equals("-");
    }

    /// Returns the passphrase for a new file, or empty if the arguments ask for none.
    ///
    /// @throws StartupException if the passphrase cannot be read, has fewer than 8 characters, or
    ///   differs when typed the second time
    Optional<Secret> forNewFile(Terminal terminal) throws IOException {
        if (source.isEmpty() && !isAsked) {
            return Optional.empty();
        }
        var passphrase = source.isPresent() ? read(source.get()) : ask(terminal, "Passphrase");
        if (passphrase.reveal().length() < MIN_LENGTH) {
            throw new StartupException(
                    "the passphrase must have " + MIN_LENGTH + " characters or more.");
        }
        if (source.isEmpty() && !ask(terminal, "Again").equals(passphrase)) {
            throw new StartupException("the two passphrases differ.");
        }
        return Optional.of(passphrase);
    }

    /// Returns the passphrase of an existing file that needs one.
    ///
    /// @throws StartupException if the passphrase cannot be read
    Secret forExistingFile(Terminal terminal) throws IOException {
        return source.isPresent() ? read(source.get()) : ask(terminal, "Passphrase of the file");
    }

    private static Secret ask(Terminal terminal, String prompt) {
        return terminal.apply(prompt)
                .orElseThrow(() ->
                        new StartupException(
                                "there is no terminal to ask for the passphrase. Give "
                                        + FROM_FILE
                                        + "."));
    }

    private static Secret read(Path source) throws IOException {
        try (var reader = Files.newBufferedReader(source)) {
            return new Secret(Objects.requireNonNullElse(reader.readLine(), ""));
        } catch (NoSuchFileException e) {
            throw new StartupException("there is no file " + source + ".");
        } catch (CharacterCodingException e) {
            throw new StartupException(
                    "the passphrase in " + source + " is not UTF-8. Save the file as UTF-8.");
        }
    }
}
