package dev.sluice.platform.postgres;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/// A user account on this machine, with its numeric user and group ids.
record UnixUser(String name, int uid, int gid) {

    static final UnixUser ROOT = new UnixUser("root", 0, 0);

    /// The user names to try, in order of preference: a user made for Sluice, the usual PostgreSQL
    /// user, and a user that almost every machine has.
    private static final List<String> CANDIDATE_NAMES = List.of("sluice", "postgres", "nobody");

    /// Returns the users on this machine that PostgreSQL could run as, in order of preference.
    static List<UnixUser> candidates() {
        Path passwd = Path.of("/etc/passwd");
        try {
            return Files.exists(passwd) ? candidates(Files.readAllLines(passwd, UTF_8)) : List.of();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static List<UnixUser> candidates(List<String> passwd) {
        var users = new ArrayList<UnixUser>();
        for (String name : CANDIDATE_NAMES) {
            passwd.stream()
                    .map(line -> line.split(":", -1))
                    .filter(field -> field.length > 3 && field[0].equals(name))
                    .map(field ->
                            new UnixUser(
                                    name, Integer.parseInt(field[2]), Integer.parseInt(field[3])))
                    .filter(user -> user.uid != 0)
                    .findFirst()
                    .ifPresent(users::add);
        }
        return users;
    }

    /// Changes the owner of a file, or of a folder and its contents, to this user. Does nothing if
    /// this user already owns `tree` itself. The owner of `tree` itself is therefore changed last:
    /// if the process dies before that, the next start repeats the whole change.
    void chown(Path tree) {
        try {
            if (ownerOf(tree) == uid) {
                return;
            }
            try (Stream<Path> paths = Files.walk(tree)) {
                for (Path path : paths.toList().reversed()) {
                    Files.setAttribute(path, "unix:gid", gid, LinkOption.NOFOLLOW_LINKS);
                    Files.setAttribute(path, "unix:uid", uid, LinkOption.NOFOLLOW_LINKS);
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static int ownerOf(Path path) throws IOException {
        return (int) Files.getAttribute(path, "unix:uid", LinkOption.NOFOLLOW_LINKS);
    }
}
