package dev.sluice.cli.profile;

import dev.sluice.cli.server.ServerAddress;
import dev.sluice.cli.shell.CommandException;
import dev.sluice.cli.shell.ExitCode;
import dev.sluice.cli.shell.JsonTree;
import dev.sluice.cli.shell.Shell;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import java.io.IOException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// The file that holds the user's profiles. On a POSIX system, it is created with permissions that
/// let only the user read it.
final class ProfileFile {

    static final String FIRST_NAME = "default";

    private static final String CURRENT = "current";
    private static final String PROFILES = "profiles";
    private static final boolean IS_POSIX =
            FileSystems.getDefault().supportedFileAttributeViews().contains("posix");

    private final Path directory;
    private final Path path;

    private ProfileFile(Path directory) {
        this.directory = directory;
        this.path = directory.resolve("profiles.json");
    }

    static ProfileFile of(Shell shell) {
        return new ProfileFile(shell.configDirectory());
    }

    Path path() {
        return path;
    }

    Optional<Profile> find(String name) {
        var profile = read().path(PROFILES).path(name);
        if (!profile.isObject()) {
            return Optional.empty();
        }
        String server = profile.path("server").asString("");
        String key = profile.path("api_key").asString("");
        if (server.isEmpty() || key.isEmpty()) {
            throw unreadable("the profile '" + name + "' is incomplete");
        }
        return Optional.of(new Profile(ServerAddress.parse(server), key));
    }

    List<String> names() {
        return List.copyOf(read().path(PROFILES).propertyNames());
    }

    /// Returns the name of the profile that is used if no other is chosen.
    String currentName() {
        return read().path(CURRENT).asString(FIRST_NAME);
    }

    /// Stores a profile and makes it the current one.
    void put(String name, Profile profile) {
        var root = read();
        var stored =
                JsonTree.object()
                        .put("server", profile.server().toString())
                        .put("api_key", profile.apiKey());
        root.withObjectProperty(PROFILES).set(name, stored);
        root.put(CURRENT, name);
        write(root);
    }

    /// Removes a profile. Returns whether it existed.
    boolean remove(String name) {
        var root = read();
        boolean existed = root.withObjectProperty(PROFILES).remove(name) != null;
        if (existed) {
            if (root.path(CURRENT).asString("").equals(name)) {
                root.remove(CURRENT);
            }
            write(root);
        }
        return existed;
    }

    /// Returns whether the file, which contains secrets, grants any permission other than reading
    /// and writing by its owner. Returns false if there is no file, or if the file system is not
    /// POSIX.
    boolean isOpenToOthers() {
        try {
            return IS_POSIX
                    && Files.exists(path)
                    && Files.getPosixFilePermissions(path).stream()
                            .anyMatch(permission -> !OWNER_ONLY.contains(permission));
        } catch (IOException e) {
            throw unreadable(String.valueOf(e.getMessage()));
        }
    }

    private static final Set<PosixFilePermission> OWNER_ONLY =
            PosixFilePermissions.fromString("rw-------");

    private ObjectNode read() {
        try {
            JsonNode root =
                    JsonTree.tryRead(Files.readAllBytes(path)).orElse(JsonTree.object().nullNode());
            if (root instanceof ObjectNode object) {
                return object;
            }
            throw unreadable("it is not a JSON object");
        } catch (NoSuchFileException e) {
            return JsonTree.object();
        } catch (IOException e) {
            throw unreadable(String.valueOf(e.getMessage()));
        }
    }

    /// Writes a new file and then renames it, so that a reader sees either the old profiles or the
    /// new ones.
    private void write(ObjectNode root) {
        try {
            Files.createDirectories(directory, permissions("rwx------"));
            var next =
                    Files.createTempFile(directory, "profiles", ".tmp", permissions("rw-------"));
            try {
                Files.writeString(next, JsonTree.writePretty(root) + "\n");
                Files.move(
                        next,
                        path,
                        StandardCopyOption.ATOMIC_MOVE,
                        StandardCopyOption.REPLACE_EXISTING);
            } finally {
                Files.deleteIfExists(next);
            }
        } catch (IOException e) {
            throw new CommandException(
                    ExitCode.FAILED,
                    "profiles_unwritable",
                    "The profiles cannot be written to " + path + ": " + e.getMessage() + ".",
                    "Set XDG_CONFIG_HOME to a folder that you may write to.");
        }
    }

    private static FileAttribute<?>[] permissions(String text) {
        return IS_POSIX
                ? new FileAttribute<?>[] {
                    PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(text))
                }
                : new FileAttribute<?>[0];
    }

    private CommandException unreadable(String why) {
        return new CommandException(
                ExitCode.FAILED,
                "profiles_unreadable",
                "The profiles in " + path + " cannot be read: " + why + ".",
                "Mend the file, or remove it and sign in again.");
    }
}
