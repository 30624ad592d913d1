package dev.sluice.platform.postgres;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.Map;

/// The SHA-256 hashes of the PostgreSQL archives that may be unpacked, keyed by archive name.
/// Immutable.
record ArchivePins(Map<String, String> hashes) {

    private static final String RESOURCE = "/postgres-archives.sha256";

    ArchivePins {
        hashes = Map.copyOf(hashes);
    }

    /// Reads the hashes that are part of this build.
    static ArchivePins ofThisBuild() {
        try (var file = ArchivePins.class.getResourceAsStream(RESOURCE)) {
            if (file == null) {
                throw new PostgresStartException("This build of Sluice has no " + RESOURCE + ".");
            }
            return parse(new String(file.readAllBytes(), UTF_8));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// @param text lines as `sha256sum` writes them; a line that begins with `#` is a comment
    static ArchivePins parse(String text) {
        var hashes = new HashMap<String, String>();
        text.lines()
                .filter(line -> !line.isBlank() && !line.startsWith("#"))
                .map(line -> line.split("  ", 2))
                .forEach(parts -> hashes.put(parts[1], parts[0]));
        return new ArchivePins(hashes);
    }

    /// Reads the archive to its end and checks its hash.
    ///
    /// @throws PostgresStartException if the hash differs from the expected hash, or if no hash is
    ///   known for `name`
    void check(String name, InputStream archive) throws IOException {
        String actual = hash(archive);
        if (!actual.equals(hashes.get(name))) {
            throw new PostgresStartException(
                    "The packaged PostgreSQL (%s) is not the one that this release of Sluice was made with: its SHA-256 is %s. It was not unpacked. Install Sluice again from a source you trust."
                            .formatted(name, actual));
        }
    }

    private static String hash(InputStream archive) throws IOException {
        try {
            var digest = MessageDigest.getInstance("SHA-256");
            new DigestInputStream(archive, digest).transferTo(OutputStream.nullOutputStream());
            return HexFormat.of().formatHex(digest.digest());
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }
}
