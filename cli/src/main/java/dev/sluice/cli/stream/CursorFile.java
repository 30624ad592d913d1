package dev.sluice.cli.stream;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sluice.cli.shell.CommandException;
import dev.sluice.cli.shell.ExitCode;
import dev.sluice.cli.shell.JsonTree;
import dev.sluice.cli.shell.Shell;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Optional;

/// A file that keeps a stream's position between runs of the command, for `--catch-up`.
public final class CursorFile {

    private static final int NAME_LENGTH = 32;

    private final Path path;

    private CursorFile(Path path) {
        this.path = path;
    }

    /// @param selection text that identifies the stream: its server, workspace, sources, filter and
    ///   connection
    public static CursorFile of(Shell shell, String selection) {
        return new CursorFile(
                shell.stateDirectory().resolve("cursors").resolve(digest(selection) + ".json"));
    }

    private static String digest(String text) {
        try {
            byte[] hash = MessageDigest.getInstance("SHA-256").digest(text.getBytes(UTF_8));
            return HexFormat.of().formatHex(hash).substring(0, NAME_LENGTH);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e); // cannot happen: every JDK has SHA-256
        }
    }

    public Optional<String> read() {
        try {
            return JsonTree.tryRead(Files.readAllBytes(path))
                    .map(json -> json.path("cursor").asString(""))
                    .filter(cursor -> !cursor.isEmpty());
        } catch (NoSuchFileException e) {
            return Optional.empty();
        } catch (IOException e) {
            throw failure(e);
        }
    }

    /// Saves the position by replacing the file atomically.
    public void write(String cursor) {
        try {
            Files.createDirectories(path.getParent());
            var next =
                    path.resolveSibling(path.getFileName() + "." + ProcessHandle.current().pid());
            Files.writeString(next, JsonTree.write(JsonTree.object().put("cursor", cursor)));
            Files.move(
                    next,
                    path,
                    StandardCopyOption.ATOMIC_MOVE,
                    StandardCopyOption.REPLACE_EXISTING);
        } catch (IOException e) {
            throw failure(e);
        }
    }

    private CommandException failure(IOException e) {
        return new CommandException(
                ExitCode.FAILED,
                "state_unusable",
                "The stream's position cannot be saved in " + path + ": " + e.getMessage() + ".",
                "Set XDG_STATE_HOME to a folder that you may write to.");
    }
}
