package dev.sluice.platform.http;

import dev.sluice.platform.json.Json;
import dev.sluice.platform.json.JsonObject;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.util.Set;
import java.util.zip.Deflater;
import java.util.zip.GZIPOutputStream;

/// Compresses the management API's replies with gzip, for clients that prefer it.
///
/// Only replies to GET and HEAD are compressed. Replies to other methods are short, and some
/// contain a secret that is shown only once. Compression works in memory and never blocks its
/// virtual thread, so at most one compression per processor runs at a time.
public final class GzipEncoder {

    /// The minimum size, in bytes, of a body that is compressed. A smaller body fits into one
    /// packet even without compression.
    static final int MIN_BYTES = 1024;

    private static final String PATH_PREFIX = "/api/";
    private static final Set<String> READ_METHODS = Set.of("GET", "HEAD");
    private static final Header VARY = new Header("Vary", "Accept-Encoding");
    private static final Header GZIP = new Header("Content-Encoding", "gzip");

    /// A stream that uses the fastest compression level, because most compressed replies are sent
    /// only once.
    private static final class FastGzipStream extends GZIPOutputStream {

        FastGzipStream(OutputStream out) throws IOException {
            super(out);
            def.setLevel(Deflater.BEST_SPEED);
        }
    }

    private GzipEncoder() {}

    /// Returns the reply, compressed if compression is allowed and the client prefers gzip. A reply
    /// that may be compressed gets a `Vary` header even if it is not compressed.
    static Reply encode(Request request, Reply reply) {
        if (!isEncodable(request, reply)) {
            return reply;
        }
        var varying = reply.with(VARY.name(), VARY.value());
        if (!request.prefersGzip()) {
            return varying;
        }
        var encoded = varying.with(GZIP.name(), GZIP.value());
        return reply.largeJson().isPresent() ? encoded : encoded.withBody(compress(reply.bytes()));
    }

    /// Returns whether the reply may be compressed. A reply with an `ETag` must not be compressed,
    /// because the `ETag` identifies exact bytes.
    private static boolean isEncodable(Request request, Reply reply) {
        return READ_METHODS.contains(request.method())
                && request.path().startsWith(PATH_PREFIX)
                && reply.status() == 200
                && reply.isCompressible()
                && reply.memoryBytes() >= MIN_BYTES
                && reply.header("ETag").isEmpty();
    }

    /// Writes the large JSON object of a reply that [#encode] returned, compressed if the reply
    /// says so.
    static void write(Reply reply, JsonObject json, OutputStream out) throws IOException {
        if (reply.header(GZIP.name()).isEmpty()) {
            Json.write(json, out);
            return;
        }
        try (var gzip = new FastGzipStream(out)) {
            Json.write(json, gzip);
        }
    }

    /// Returns the bytes, compressed in the gzip format (RFC 1952).
    public static byte[] compress(byte[] bytes) {
        var out = new ByteArrayOutputStream(bytes.length / 4);
        try (var gzip = new FastGzipStream(out)) {
            gzip.write(bytes);
        } catch (IOException e) {
            throw new UncheckedIOException(e); // an in-memory stream does not throw
        }
        return out.toByteArray();
    }
}
