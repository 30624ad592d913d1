package dev.sluice.platform.postgres;

import static java.nio.charset.StandardCharsets.UTF_8;

import org.jspecify.annotations.Nullable;
import org.tukaani.xz.XZInputStream;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermission;
import java.util.EnumSet;
import java.util.Set;

/// Unpacks a tar archive of folders, files and symbolic links into one folder.
///
/// Nothing is ever written outside that folder. Names and link targets that point outside it are
/// refused, and so are paths that lead through a link. Entry types that the PostgreSQL binaries do
/// not need are also refused.
///
/// Reads the ustar format (specified in POSIX under the `pax` utility, section "ustar Interchange
/// Format") and GNU long names. Not thread-safe.
final class TarExtractor {

    private static final int BLOCK_BYTES = 512;

    private final InputStream archive;
    private final Path target;

    /// The name from a GNU long-name entry (`L`), which applies to the entry after it.
    private @Nullable String longName;

    /// The link target from a GNU long-link entry (`K`), which applies to the entry after it.
    private @Nullable String longLink;

    private TarExtractor(InputStream archive, Path target) {
        this.archive = archive;
        this.target = target;
    }

    /// Unpacks a tar that is packed with xz. Only this class uses the library, so that a package,
    /// which needs neither, can do without it.
    static void unpackXz(InputStream packed, Path target) throws IOException {
        unpack(new XZInputStream(packed), target);
    }

    /// Unpacks the whole archive into `target`, an existing folder given by its real path.
    static void unpack(InputStream archive, Path target) throws IOException {
        var reader = new TarExtractor(archive, target);
        byte[] header = new byte[BLOCK_BYTES];
        while (archive.readNBytes(header, 0, BLOCK_BYTES) == BLOCK_BYTES && header[0] != 0) {
            reader.readEntry(header);
        }
    }

    private void readEntry(byte[] header) throws IOException {
        long size = octal(header, 124, 12);
        char kind = (char) header[156];
        switch (kind) {
            case 'L' -> longName = content(size);
            case 'K' -> longLink = content(size);
            case 'x', 'g' ->
                    skip(size + padding(size)); // pax headers: times and comments, not needed
            default -> {
                Path path = resolveInside(longName != null ? longName : name(header));
                String link = longLink != null ? longLink : text(header, 157, 100);
                longName = null;
                longLink = null;
                write(kind, path, link, size, (int) octal(header, 100, 8));
            }
        }
    }

    private void write(char kind, Path path, String link, long size, int mode) throws IOException {
        if (path.equals(target)) {
            return;
        }
        createParent(path);
        switch (kind) {
            case '5' -> {
                if (!Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS)) {
                    Files.createDirectory(path);
                }
                Files.setPosixFilePermissions(path, permissions(mode));
            }
            case '2' -> {
                checkInside(path.resolveSibling(link), link);
                Files.createSymbolicLink(path, Path.of(link));
            }
            case '0', '\0' -> {
                copy(path, size);
                Files.setPosixFilePermissions(path, permissions(mode));
            }
            default ->
                    throw new IOException("unexpected kind of tar entry '" + kind + "': " + path);
        }
    }

    private void copy(Path path, long size) throws IOException {
        try (var out = Files.newOutputStream(path, StandardOpenOption.CREATE_NEW)) {
            byte[] buffer = new byte[64 * 1024];
            for (long left = size; left > 0; ) {
                int read = archive.readNBytes(buffer, 0, (int) Math.min(left, buffer.length));
                if (read == 0) {
                    throw new EOFException("the archive ends within " + path);
                }
                out.write(buffer, 0, read);
                left -= read;
            }
        }
        skip(padding(size));
    }

    /// Creates any missing parent folders, because an archive may list a folder after its contents
    /// or not at all.
    private void createParent(Path path) throws IOException {
        Path folder = target;
        for (Path step : target.relativize(path.getParent())) {
            folder = folder.resolve(step).normalize();
            if (Files.isSymbolicLink(folder)) {
                throw new IOException("tar entry goes through a link: " + path);
            }
            if (!Files.exists(folder)) {
                Files.createDirectory(folder);
            }
        }
    }

    private Path resolveInside(String name) throws IOException {
        return checkInside(target.resolve(name), name);
    }

    private Path checkInside(Path path, String name) throws IOException {
        Path normal = path.normalize();
        if (!normal.startsWith(target)) {
            throw new IOException("tar entry leads out of its folder: " + name);
        }
        return normal;
    }

    private String content(long size) throws IOException {
        byte[] bytes = archive.readNBytes((int) Math.min(size, 64 * 1024));
        skip(padding(size));
        return text(bytes, 0, bytes.length);
    }

    private void skip(long bytes) throws IOException {
        archive.skipNBytes(bytes);
    }

    private static long padding(long size) {
        return (BLOCK_BYTES - size % BLOCK_BYTES) % BLOCK_BYTES;
    }

    /// Returns the name of an entry. POSIX archives store the first part of a long name in a
    /// separate prefix field. GNU archives use that field for something else.
    private static String name(byte[] header) {
        String name = text(header, 0, 100);
        boolean isPosix = header[257 + 5] == 0;
        String prefix = isPosix ? text(header, 345, 155) : "";
        return prefix.isEmpty() ? name : prefix + "/" + name;
    }

    private static String text(byte[] bytes, int from, int length) {
        int end = from;
        while (end < from + length && bytes[end] != 0) {
            end++;
        }
        return new String(bytes, from, end - from, UTF_8);
    }

    private static long octal(byte[] header, int from, int length) throws IOException {
        String digits = text(header, from, length).strip();
        try {
            return digits.isEmpty() ? 0 : Long.parseLong(digits, 8);
        } catch (NumberFormatException e) {
            throw new IOException("not a tar archive", e);
        }
    }

    private static Set<PosixFilePermission> permissions(int mode) {
        var permissions = EnumSet.noneOf(PosixFilePermission.class);
        var all = PosixFilePermission.values(); // from owner read to others execute
        for (int bit = 0; bit < all.length; bit++) {
            if ((mode & (0400 >> bit)) != 0) {
                permissions.add(all[bit]);
            }
        }
        return permissions;
    }
}
