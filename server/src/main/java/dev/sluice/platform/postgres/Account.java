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

/// A user of this machine.
record Account(String name, int uid, int gid) {

    static final Account ROOT = new Account("root", 0, 0);

    /// Best first: one of our own, PostgreSQL's usual one, and the one every machine has.
    private static final List<String> FIT = List.of("sluice", "postgres", "nobody");

    /// The machine's accounts that PostgreSQL may run as, best first.
    static List<Account> fit() {
        Path passwd = Path.of("/etc/passwd");
        try {
            return Files.exists(passwd) ? fit(Files.readAllLines(passwd, UTF_8)) : List.of();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static List<Account> fit(List<String> passwd) {
        var accounts = new ArrayList<Account>();
        for (String name : FIT) {
            passwd.stream()
                    .map(line -> line.split(":", -1))
                    .filter(field -> field.length > 3 && field[0].equals(name))
                    .map(field ->
                            new Account(
                                    name, Integer.parseInt(field[2]), Integer.parseInt(field[3])))
                    .filter(account -> account.uid != 0)
                    .findFirst()
                    .ifPresent(accounts::add);
        }
        return accounts;
    }

    /// Gives a file, or a folder with all that is in it, to this account. The folder itself comes
    /// last, so that work broken off is seen and done again.
    void own(Path tree) {
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
