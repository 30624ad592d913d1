package dev.sluice.observe.openapi;

import dev.sluice.platform.http.Header;
import dev.sluice.platform.http.Reply;
import dev.sluice.platform.http.Request;
import dev.sluice.platform.http.Router;
import dev.sluice.platform.secret.Sha256;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;

/// The route `GET /api/openapi.json`, which serves the OpenAPI document. It needs no API key. The
/// document changes only with a new release.
public final class OpenApiRoutes {

    private static final String DOCUMENT_RESOURCE = "/openapi.json";

    private final String etag;
    private final Reply documentReply;
    private final Reply notModifiedReply;

    private OpenApiRoutes(byte[] document) {
        this.etag = '"' + digest(document) + '"';
        // Clients may cache the document but must revalidate it, so that they see a new release at
        // once.
        var headers = List.of(new Header("ETag", etag), new Header("Cache-Control", "no-cache"));
        this.documentReply =
                Reply.text(
                                200,
                                "application/json; charset=utf-8",
                                new String(document, StandardCharsets.UTF_8))
                        .with(headers);
        this.notModifiedReply =
                Reply.text(304, "application/json; charset=utf-8", "").with(headers);
    }

    public static void addTo(Router router) {
        router.get("/api/openapi.json", new OpenApiRoutes(document())::get);
    }

    private Reply get(Request request) {
        return request.firstHeader("If-None-Match").filter(this::matchesEtag).isPresent()
                ? notModifiedReply
                : documentReply;
    }

    /// Whether the header `If-None-Match` contains this document's tag. Compares weakly (RFC 9110,
    /// section 13.1.2), so that a tag that a proxy has changed to a weak one still matches.
    private boolean matchesEtag(String known) {
        for (String one : known.split(",", -1)) {
            String bare = one.strip();
            if (bare.equals("*") || bare.equals(etag) || bare.equals("W/" + etag)) {
                return true;
            }
        }
        return false;
    }

    private static byte[] document() {
        try (@Nullable InputStream in =
                OpenApiRoutes.class.getResourceAsStream(DOCUMENT_RESOURCE)) {
            if (in == null) {
                throw new IllegalStateException("the jar has no " + DOCUMENT_RESOURCE);
            }
            return in.readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String digest(byte[] bytes) {
        return HexFormat.of().formatHex(Sha256.hash(bytes), 0, 16);
    }
}
