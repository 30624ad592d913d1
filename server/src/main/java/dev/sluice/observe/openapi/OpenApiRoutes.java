package dev.sluice.observe.openapi;

import dev.sluice.platform.http.Header;
import dev.sluice.platform.http.Reply;
import dev.sluice.platform.http.Request;
import dev.sluice.platform.http.Router;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;

/// `GET /api/openapi.json`: public, the same bytes until the next release.
public final class OpenApiRoutes {

    private static final String RESOURCE = "/openapi.json";

    private final String tag;
    private final Reply whole;
    private final Reply unchanged;

    private OpenApiRoutes(byte[] document) {
        this.tag = '"' + digest(document) + '"';
        // Kept by whoever likes to, and asked about each time: a new release shows at once.
        var headers = List.of(new Header("ETag", tag), new Header("Cache-Control", "no-cache"));
        this.whole =
                Reply.text(
                                200,
                                "application/json; charset=utf-8",
                                new String(document, StandardCharsets.UTF_8))
                        .with(headers);
        this.unchanged = Reply.text(304, "application/json; charset=utf-8", "").with(headers);
    }

    public static void addTo(Router router) {
        router.get("/api/openapi.json", new OpenApiRoutes(document())::get);
    }

    private Reply get(Request request) {
        return request.header("If-None-Match").filter(this::isTag).isPresent() ? unchanged : whole;
    }

    /// Compares weakly (RFC 9110, 13.1.2), so a tag that a proxy weakened still fits.
    private boolean isTag(String known) {
        for (String one : known.split(",", -1)) {
            String bare = one.strip();
            if (bare.equals("*") || bare.equals(tag) || bare.equals("W/" + tag)) {
                return true;
            }
        }
        return false;
    }

    private static byte[] document() {
        try (@Nullable InputStream in = OpenApiRoutes.class.getResourceAsStream(RESOURCE)) {
            if (in == null) {
                throw new IllegalStateException("the jar has no " + RESOURCE);
            }
            return in.readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String digest(byte[] bytes) {
        try {
            byte[] hash = MessageDigest.getInstance("SHA-256").digest(bytes);
            return HexFormat.of().formatHex(hash, 0, 16);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }
}
