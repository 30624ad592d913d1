package dev.sluice.features.pages;

import dev.sluice.account.access.Api;
import dev.sluice.platform.http.GzipEncoder;
import dev.sluice.platform.http.Header;
import dev.sluice.platform.http.Reply;
import dev.sluice.platform.http.Request;
import dev.sluice.platform.secret.Sha256;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;

/// The route `GET /api/openapi.json`, which serves the OpenAPI document. The route needs no API
/// key. The document changes only with a new release.
public final class OpenApiRoutes {

    private static final String DOCUMENT_RESOURCE = "/openapi.json";

    /// The document in one content coding. Its entity tag is derived from the encoded bytes.
    private record DocumentForm(String etag, Reply reply) {

        /// Returns whether the value of `If-None-Match` contains this form's tag. Uses the weak
        /// comparison (RFC 9110, section 13.1.2), so a tag still matches after a proxy has made it
        /// weak.
        private boolean isNamedBy(String known) {
            for (String one : known.split(",", -1)) {
                String bare = one.strip();
                if (bare.equals("*") || bare.equals(etag) || bare.equals("W/" + etag)) {
                    return true;
                }
            }
            return false;
        }
    }

    private final DocumentForm plain;
    private final DocumentForm gzip;

    private OpenApiRoutes(byte[] document) {
        this.plain = form(document, List.of());
        this.gzip =
                form(
                        GzipEncoder.compress(document),
                        List.of(new Header("Content-Encoding", "gzip")));
    }

    private static DocumentForm form(byte[] bytes, List<Header> coding) {
        String etag = '"' + digest(bytes) + '"';
        var reply =
                Reply.bytes(
                                200,
                                List.of(
                                        new Header(
                                                "Content-Type", "application/json; charset=utf-8")),
                                bytes)
                        .with(coding)
                        .with(validators(etag));
        return new DocumentForm(etag, reply);
    }

    /// Returns headers that let clients cache the document but make them revalidate it each time. A
    /// client therefore sees a new release's document immediately.
    private static List<Header> validators(String etag) {
        return List.of(
                new Header("ETag", etag),
                new Header("Cache-Control", "no-cache"),
                new Header("Vary", "Accept-Encoding"));
    }

    public static void addTo(Api api) {
        api.openGet("/api/openapi.json", Set.of(), new OpenApiRoutes(document())::get);
    }

    private Reply get(Request request) {
        var form = request.prefersGzip() ? gzip : plain;
        return request.firstHeader("If-None-Match").filter(form::isNamedBy).isPresent()
                ? Reply.text(304, "application/json; charset=utf-8", "").with(validators(form.etag))
                : form.reply;
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
