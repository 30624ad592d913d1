package dev.sluice.features.pages;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/// The dashboard's files, read from the class path once and kept in memory.
///
/// The build lists the files in `files.txt`. Each line contains a path and the content codings in
/// which the file is also available, such as `assets/index-B2xY.js br gzip`. If the list is
/// missing, the server was built without its dashboard.
final class PageFiles {

    /// The name of the content coding that stands for no compression.
    static final String IDENTITY = "identity";

    /// @param forms maps the name of each content coding to the encoded bytes; the smallest comes
    ///   first and `IDENTITY` last
    record PageFile(String contentType, Map<String, byte[]> forms) {

        byte[] plain() {
            return Objects.requireNonNull(forms.get(IDENTITY));
        }
    }

    private static final Map<String, String> CONTENT_TYPES =
            Map.of(
                    "js", "text/javascript; charset=utf-8",
                    "css", "text/css; charset=utf-8",
                    "svg", "image/svg+xml",
                    "txt", "text/plain; charset=utf-8");

    private static final Map<String, String> SUFFIXES = Map.of("br", ".br", "gzip", ".gz");

    private static final String INDEX = "index.html";

    private final Optional<String> index;
    private final Map<String, PageFile> files;

    private PageFiles(Optional<String> index, Map<String, PageFile> files) {
        this.index = index;
        this.files = Map.copyOf(files);
    }

    /// @param directory a folder on the class path, such as `/dashboard/`
    static PageFiles load(String directory) {
        var list = read(directory + "files.txt");
        if (list.isEmpty()) {
            return new PageFiles(Optional.empty(), Map.of());
        }
        var files = new HashMap<String, PageFile>();
        for (String line : text(list.get()).lines().toList()) {
            var words = List.of(line.split(" ", -1));
            files.put(words.getFirst(), file(directory, words));
        }
        var index = Optional.ofNullable(files.remove(INDEX)).map(file -> text(file.plain()));
        return new PageFiles(index, files);
    }

    private static PageFile file(String directory, List<String> words) {
        String path = words.getFirst();
        var forms = new LinkedHashMap<String, byte[]>();
        for (String coding : words.subList(1, words.size())) {
            forms.put(coding, require(directory + path + SUFFIXES.get(coding)));
        }
        forms.put(IDENTITY, require(directory + path));
        String extension = path.substring(path.lastIndexOf('.') + 1);
        return new PageFile(
                CONTENT_TYPES.getOrDefault(extension, "application/octet-stream"), forms);
    }

    /// Returns the page that starts the dashboard, or empty if the server was built without its
    /// dashboard.
    Optional<String> index() {
        return index;
    }

    /// Returns the file with this path, such as `assets/index-B2xY.js`.
    Optional<PageFile> find(String path) {
        return Optional.ofNullable(files.get(path));
    }

    private static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.UTF_8);
    }

    private static byte[] require(String resource) {
        return read(resource)
                .orElseThrow(() -> new IllegalStateException("the jar has no " + resource));
    }

    private static Optional<byte[]> read(String resource) {
        try (@Nullable InputStream in = PageFiles.class.getResourceAsStream(resource)) {
            return in == null ? Optional.empty() : Optional.of(in.readAllBytes());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
