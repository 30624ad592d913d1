package dev.sluice.journey;

import static org.assertj.core.api.Assertions.assertThat;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sluice.RunningSluice;
import dev.sluice.testkit.ApiClient;
import dev.sluice.testkit.RawHttp;
import dev.sluice.testkit.RawHttp.RawHttpResponse;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.zip.GZIPInputStream;

/// Tests which answers are compressed.
class GzipTest {

    @AutoClose private static final RunningSluice sluice = RunningSluice.start();
    private static final ApiClient api = sluice.api();

    @Test
    void a_long_answer_is_compressed_for_who_accepts_it() throws IOException {
        for (int i = 0; i < 10; i++) {
            api.source("source with a name " + i);
        }

        var compressed = get("/api/v1/sources", "gzip");
        var plain = get("/api/v1/sources", "gzip;q=0.5, identity");

        assertThat(compressed.status()).isEqualTo(200);
        assertThat(compressed.values("Content-Encoding")).containsExactly("gzip");
        assertThat(compressed.values("Vary")).containsExactly("Accept-Encoding");
        assertThat(compressed.values("Cache-Control")).containsExactly("no-store");
        assertThat(compressed.body().length()).isLessThan(plain.body().length() / 2);
        assertThat(plain.values("Content-Encoding")).isEmpty();
        assertThat(plain.values("Vary")).containsExactly("Accept-Encoding");
        assertThat(unzipped(compressed)).isEqualTo(text(plain)).contains("source with a name 9");
    }

    @Test
    void head_is_answered_with_the_headers_of_get() {
        api.post("/api/v1/sources", "{'name':'s','description':'" + "long ".repeat(300) + "'}");

        var get = get("/api/v1/sources", "gzip");
        var head = send("HEAD", "/api/v1/sources", "gzip", "");

        for (String name : new String[] {"Content-Encoding", "Content-Length", "Vary"}) {
            assertThat(head.values(name)).as(name).isEqualTo(get.values(name)).hasSize(1);
        }
    }

    @Test
    void what_is_short_or_changes_something_is_not_compressed() {
        String description = "d".repeat(1500);

        var created =
                send(
                        "POST",
                        "/api/v1/sources",
                        "gzip",
                        "{\"name\":\"s\",\"description\":\"" + description + "\"}");
        var me = get("/api/v1/me", "gzip");

        assertThat(created.status()).isEqualTo(201);
        assertThat(created.body()).contains(description);
        assertThat(me.status()).isEqualTo(200);
        for (var answer : new RawHttpResponse[] {created, me}) {
            assertThat(answer.values("Content-Encoding")).isEmpty();
            assertThat(answer.values("Vary")).isEmpty();
        }
    }

    @Test
    void an_event_is_not_compressed() {
        var source = api.source("s");
        String body = "{\"padding\":\"" + "p".repeat(2000) + "\"}";
        String event = api.ingest(source.text("ingest_path"), body).text("request_id");

        var answer = get("/api/v1/events/" + event, "gzip");

        assertThat(answer.status()).isEqualTo(200);
        assertThat(answer.values("Content-Encoding")).isEmpty();
        assertThat(answer.body()).contains("ppp");
    }

    @ParameterizedTest
    @ValueSource(strings = {"gzip", "identity"})
    void each_form_of_the_document_has_a_tag_of_its_own(String coding) throws IOException {
        String other = coding.equals("gzip") ? "identity" : "gzip";
        var document = get("/api/openapi.json", coding);
        String tag = document.values("ETag").getFirst();

        assertThat(document.values("Vary")).containsExactly("Accept-Encoding");
        assertThat(coding.equals("gzip") ? unzipped(document) : text(document))
                .isEqualTo(api.get("/api/openapi.json").body());
        assertThat(get("/api/openapi.json", other).values("ETag")).doesNotContain(tag);
        assertThat(ifNoneMatch(coding, tag).status()).isEqualTo(304);
        assertThat(ifNoneMatch(coding, tag).values("ETag")).containsExactly(tag);
        assertThat(ifNoneMatch(other, tag).status()).isEqualTo(200);
    }

    private static RawHttpResponse ifNoneMatch(String coding, String tag) {
        return get("/api/openapi.json", coding + "\r\nIf-None-Match: " + tag);
    }

    private static RawHttpResponse get(String path, String codings) {
        return send("GET", path, codings, "");
    }

    private static RawHttpResponse send(String method, String path, String codings, String body) {
        return RawHttp.send(
                sluice.port(),
                ("%s %s HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\n"
                                + "Accept-Encoding: %s\r\nContent-Type: application/json\r\n"
                                + "Content-Length: %d\r\nConnection: close\r\n\r\n%s")
                        .formatted(
                                method, path, RunningSluice.API_KEY, codings, body.length(), body));
    }

    private static String text(RawHttpResponse answer) {
        return new String(answer.body().getBytes(ISO_8859_1), UTF_8);
    }

    private static String unzipped(RawHttpResponse answer) throws IOException {
        try (var gzip =
                new GZIPInputStream(new ByteArrayInputStream(answer.body().getBytes(ISO_8859_1)))) {
            return new String(gzip.readAllBytes(), UTF_8);
        }
    }
}
