package dev.sluice.cli.api;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sluice.cli.shell.CommandException;
import dev.sluice.cli.shell.Shell;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/// Reads the data that an argument specifies. The argument is `@file` for a file, `@-` for standard
/// input, or the data itself.
public final class FileArgument {

    private FileArgument() {}

    public static byte[] readData(String argument, Shell shell) {
        return argument.startsWith("@")
                ? read(argument.substring(1), shell)
                : argument.getBytes(UTF_8);
    }

    /// @param file a path, or `-` for standard input
    public static byte[] read(String file, Shell shell) {
        if (file.equals("-")) {
            return shell.readInput();
        }
        try {
            return Files.readAllBytes(Path.of(file));
        } catch (NoSuchFileException | InvalidPathException e) {
            throw CommandException.usage("There is no file '" + file + "'.", "");
        } catch (IOException e) {
            throw CommandException.usage(
                    "The file '" + file + "' cannot be read: " + e.getMessage() + ".", "");
        }
    }
}
