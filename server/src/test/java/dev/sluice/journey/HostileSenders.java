package dev.sluice.journey;

import java.util.ArrayList;
import java.util.List;

/// What senders may try on an ingest URL in one go, and what becomes of it.
///
/// @param id as in the reference of hostile senders
/// @param bytes one for each character; `IN` stands for the path of the ingest URL
/// @param status of the answer
/// @param isKept whether the connection serves further requests
/// @param stored the body that is stored, or empty when nothing is
public record HostileSenders(
        String id, String bytes, int status, boolean isKept, List<String> stored) {

    private static final String POST = "POST IN HTTP/1.1\r\nHost: h\r\n";
    private static final String BODY = "Content-Length: 5\r\n\r\nhello";
    private static final String CHUNKED = "Transfer-Encoding: chunked\r\n";
    private static final String CHUNKS = "5\r\nhello\r\n0\r\n\r\n";
    private static final int MIB = 1 << 20;

    public static List<HostileSenders> all() {
        var all = new ArrayList<HostileSenders>();
        all.addAll(lengths());
        all.addAll(chunks());
        all.addAll(headers());
        all.addAll(versionsAndHosts());
        all.addAll(targets());
        all.addAll(methodsAndExpectations());
        return all;
    }

    private static List<HostileSenders> lengths() {
        return List.of(
                refused(
                        "length-and-chunked",
                        POST + "Content-Length: 5\r\n" + CHUNKED + "\r\n0\r\n\r\n"),
                refused(
                        "chunked-and-length",
                        POST + CHUNKED + "Content-Length: 5\r\n\r\n" + CHUNKS),
                refused("two-lengths-alike", POST + "Content-Length: 5\r\n" + BODY),
                refused("two-lengths-unlike", POST + "Content-Length: 6\r\n" + BODY),
                refused("length-list", POST + "Content-Length: 5, 5\r\n\r\nhello"),
                refused("length-with-sign", POST + "Content-Length: +5\r\n\r\nhello"),
                refused("length-negative", POST + "Content-Length: -5\r\n\r\nhello"),
                refused("length-hexadecimal", POST + "Content-Length: 0x5\r\n\r\nhello"),
                refused("length-with-space", POST + "Content-Length: 5 5\r\n\r\nhello"),
                refused("length-empty", POST + "Content-Length:\r\n\r\nhello"),
                refused(
                        "length-over-64-bit",
                        POST + "Content-Length: 99999999999999999999\r\n\r\n"),
                closed("length-over-32-bit", 413, POST + "Content-Length: 4294967301\r\n\r\nhello"),
                closed("length-over-1-mib", 413, POST + "Content-Length: 1048577\r\n\r\nhello"));
    }

    private static List<HostileSenders> chunks() {
        String chunked = POST + CHUNKED + "\r\n";
        return List.of(
                stored("chunk-extension", chunked + "5;a=b\r\nhello\r\n0\r\n\r\n"),
                refused(
                        "chunk-extension-broken-quote",
                        chunked + "5;a=\"b\r\n\"\r\nhello\r\n0\r\n\r\n"),
                refused("chunk-extension-bare-lf", chunked + "5;a\nhello\r\n0\r\n\r\n"),
                refused("chunk-extension-bomb", chunked + "5;" + "a".repeat(MIB)),
                refused("chunk-size-no-number", chunked + "zz\r\nhello\r\n0\r\n\r\n"),
                refused("chunk-size-negative", chunked + "-5\r\nhello\r\n0\r\n\r\n"),
                refused("chunk-size-prefixed", chunked + "0x5\r\nhello\r\n0\r\n\r\n"),
                refused("chunk-size-spaced", chunked + "5 \r\nhello\r\n0\r\n\r\n"),
                refused("chunk-size-empty", chunked + "\r\nhello\r\n0\r\n\r\n"),
                refused(
                        "chunk-size-over-64-bit",
                        chunked + "10000000000000005\r\nhello\r\n0\r\n\r\n"),
                closed(
                        "chunk-size-over-32-bit",
                        413,
                        chunked + "100000005\r\n" + "a".repeat(MIB + 1)),
                closed(
                        "chunks-endless",
                        413,
                        chunked + ("10000\r\n" + "a".repeat(65536) + "\r\n").repeat(20)),
                refused("chunk-longer-than-said", chunked + "5\r\nhelloX\r\n0\r\n\r\n"),
                refused("chunk-lines-bare-lf", chunked + "5\nhello\n0\n\n"),
                refused("chunked-twice", POST + CHUNKED + CHUNKED + "\r\n" + CHUNKS),
                refused(
                        "chunked-not-last",
                        POST + "Transfer-Encoding: chunked, gzip\r\n\r\n" + CHUNKS),
                kept(
                        "coding-unknown",
                        400,
                        POST + "Transfer-Encoding: gzip, chunked\r\n\r\n" + CHUNKS),
                refused("coding-without-chunked", POST + "Transfer-Encoding: gzip\r\n\r\nhello"),
                refused(
                        "coding-disguised",
                        POST + "Transfer-Encoding: \013chunked\r\n\r\n" + CHUNKS),
                stored(
                        "trailers-dropped",
                        chunked + "5\r\nhello\r\n0\r\nContent-Length: 99\r\n\r\n"),
                refused(
                        "trailers-bomb",
                        chunked + "5\r\nhello\r\n0\r\n" + "X-T: 1\r\n".repeat(20_000)));
    }

    private static List<HostileSenders> headers() {
        return List.of(
                closed("header-bomb-one", 431, POST + "X: " + "a".repeat(33_000) + "\r\n" + BODY),
                closed("header-bomb-many", 431, POST + "A: b\r\n".repeat(6_000) + BODY),
                closed(
                        "request-line-bomb",
                        431,
                        "POST IN?" + "a".repeat(40_000) + " HTTP/1.1\r\nHost: h\r\n" + BODY),
                closed("empty-lines-bomb", 431, "\r\n".repeat(20_000) + POST + BODY),
                refused("header-with-nul", POST + "X: a\0b\r\n" + BODY),
                refused("header-with-bare-cr", POST + "X: a\rb\r\n" + BODY),
                refused("header-with-control", POST + "X: a\001b\r\n" + BODY),
                stored("header-not-ascii", POST + "X: a\u00ffb\r\n" + BODY),
                refused("header-name-not-ascii", POST + "X\u00ff: b\r\n" + BODY),
                refused("header-name-with-nul", POST + "X\0: b\r\n" + BODY),
                refused("header-name-empty", POST + ": b\r\n" + BODY),
                refused("header-without-colon", POST + "abc\r\n" + BODY),
                refused(
                        "header-space-before-colon",
                        POST + "Transfer-Encoding : chunked\r\n\r\n" + CHUNKS),
                refused("header-folded", POST + "X: a\r\n b\r\n" + BODY),
                refused("header-space-first", "POST IN HTTP/1.1\r\n Host: h\r\n" + BODY),
                refused("bare-lf", (POST + BODY).replace("\r\n", "\n")),
                refused("bare-lf-once", POST + "X: a\n" + BODY),
                refused("bare-cr", (POST + BODY).replace("\r\n", "\r")),
                stored("empty-lines-first", "\r\n\r\n" + POST + BODY),
                stored("gzip-body", POST + "Content-Encoding: gzip\r\n" + BODY),
                stored(
                        "connection-names-framing",
                        POST + "Connection: Host, Content-Length\r\n" + BODY),
                stored(
                        "upgrade-h2c",
                        POST
                                + "Connection: Upgrade, HTTP2-Settings\r\n"
                                + "Upgrade: h2c\r\n"
                                + "HTTP2-Settings: AAMAAABkAAQAAP__\r\n"
                                + BODY),
                kept(
                        "upgrade-websocket",
                        200,
                        "GET IN HTTP/1.1\r\n"
                                + "Host: h\r\n"
                                + "Connection: Upgrade\r\n"
                                + "Upgrade: websocket\r\n\r\n"));
    }

    private static List<HostileSenders> versionsAndHosts() {
        return List.of(
                storedAndClosed("http-1.0", "POST IN HTTP/1.0\r\n" + BODY),
                storedAndClosed(
                        "http-1.0-chunked", "POST IN HTTP/1.0\r\n" + CHUNKED + "\r\n" + CHUNKS),
                stored(
                        "http-1.0-keep-alive",
                        "POST IN HTTP/1.0\r\nConnection: keep-alive\r\n" + BODY),
                new HostileSenders(
                        "http-1.0-without-length",
                        "POST IN HTTP/1.0\r\n\r\n",
                        200,
                        false,
                        List.of("")),
                closed("http-0.9", 505, "GET IN\r\n"),
                closed("http-1.2", 505, "POST IN HTTP/1.2\r\nHost: h\r\n" + BODY),
                closed("http-2-preface", 426, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"),
                refused("http-none", "SSH-2.0-OpenSSH_9.0\r\n\r\n"),
                refused(
                        "tls-on-the-plain-port",
                        "\026\003\001\002\000\001\000\001\374\003\003" + "\0".repeat(200)),
                refused("proxy-protocol", "PROXY TCP4 1.2.3.4 5.6.7.8 1 2\r\n" + POST + BODY),
                refused("nul-bytes", "\0".repeat(5_000)),
                refused("host-absent", "POST IN HTTP/1.1\r\n" + BODY),
                refused("host-empty", "POST IN HTTP/1.1\r\nHost:\r\n" + BODY),
                refused("host-twice", "POST IN HTTP/1.1\r\nHost: a\r\nHost: b\r\n" + BODY),
                refused(
                        "host-twice-alike",
                        "POST IN HTTP/1.1\r\nHost: h\r\n" + "Host: h\r\n" + BODY),
                refused("host-malformed", "POST IN HTTP/1.1\r\nHost: a b/c@d\r\n" + BODY),
                refused("host-bad-port", "POST IN HTTP/1.1\r\nHost: a:99999999\r\n" + BODY));
    }

    private static List<HostileSenders> targets() {
        return List.of(
                stored("target-absolute", "POST http://hIN HTTP/1.1\r\nHost: h\r\n" + BODY),
                kept(
                        "target-absolute-other-host",
                        400,
                        "POST http://otherIN HTTP/1.1\r\nHost: h\r\n" + BODY),
                kept("target-with-user", 400, "POST http://u:p@hIN HTTP/1.1\r\nHost: h\r\n" + BODY),
                refused("target-relative", "POST in/x HTTP/1.1\r\nHost: h\r\n" + BODY),
                refused("target-backslash", "POST \\in\\x HTTP/1.1\r\nHost: h\r\n" + BODY),
                kept("target-fragment", 400, "POST IN#x HTTP/1.1\r\nHost: h\r\n" + BODY),
                kept("target-asterisk", 404, "OPTIONS * HTTP/1.1\r\nHost: h\r\n\r\n"),
                kept("target-empty-segment", 400, "POST /IN HTTP/1.1\r\nHost: h\r\n" + BODY),
                kept("target-parameter", 404, "POST IN;x=y HTTP/1.1\r\nHost: h\r\n" + BODY),
                kept("target-dot-segment", 404, "POST /.IN HTTP/1.1\r\nHost: h\r\n" + BODY),
                kept("target-dot-dot-segment", 404, "POST /x/..IN HTTP/1.1\r\nHost: h\r\n" + BODY),
                kept(
                        "target-dot-dot-to-the-api",
                        404,
                        "GET /in/../api/v1/status HTTP/1.1\r\nHost: h\r\n\r\n"),
                kept("target-encoded-dots", 400, "POST /x/%2e%2eIN HTTP/1.1\r\nHost: h\r\n" + BODY),
                kept("target-encoded-letter", 404, "POST /%69n/x HTTP/1.1\r\nHost: h\r\n" + BODY),
                kept("target-encoded-slash", 400, "POST IN%2f HTTP/1.1\r\nHost: h\r\n" + BODY),
                closed("target-encoded-nul", 400, "POST IN%00 HTTP/1.1\r\nHost: h\r\n" + BODY),
                closed("target-bad-encoding", 400, "POST IN%zz HTTP/1.1\r\nHost: h\r\n" + BODY),
                kept("target-slash-at-the-end", 404, "POST IN/ HTTP/1.1\r\nHost: h\r\n" + BODY),
                kept("target-not-ascii", 400, "POST IN\u00c3\u00a9 HTTP/1.1\r\nHost: h\r\n" + BODY),
                stored("query-bad-encoding", "POST IN?%zz&%ff HTTP/1.1\r\nHost: h\r\n" + BODY),
                stored("query-not-ascii", "POST IN?\u00ff HTTP/1.1\r\nHost: h\r\n" + BODY),
                kept(
                        "challenge-bad-encoding",
                        400,
                        "GET IN?hub.mode=subscribe&hub.challenge=%ff HTTP/1.1\r\nHost: h\r\n\r\n"));
    }

    private static List<HostileSenders> methodsAndExpectations() {
        return List.of(
                kept("method-trace", 405, "TRACE IN HTTP/1.1\r\nHost: h\r\nX-Secret: s\r\n\r\n"),
                kept("method-options", 405, "OPTIONS IN HTTP/1.1\r\nHost: h\r\n\r\n"),
                kept("method-connect", 404, "CONNECT h:80 HTTP/1.1\r\nHost: h:80\r\n\r\n"),
                closed("method-connect-with-path", 400, "CONNECT IN HTTP/1.1\r\nHost: h\r\n\r\n"),
                kept("method-lower-case", 405, "post IN HTTP/1.1\r\nHost: h\r\n" + BODY),
                refused("method-malformed", "PO(ST IN HTTP/1.1\r\nHost: h\r\n" + BODY),
                kept("get-with-body", 200, "GET IN HTTP/1.1\r\nHost: h\r\n" + BODY),
                stored("expect-continue-with-body", POST + "Expect: 100-continue\r\n" + BODY),
                closed(
                        "expect-continue-too-large",
                        413,
                        POST + "Expect: 100-continue\r\nContent-Length: 2000000\r\n\r\n"),
                closed(
                        "expect-continue-unknown-url",
                        404,
                        "POST /in/nobody HTTP/1.1\r\n"
                                + "Host: h\r\n"
                                + "Expect: 100-continue\r\n"
                                + "Content-Length: 5\r\n\r\n"),
                closed("expect-unknown", 417, POST + "Expect: 200-maybe\r\n" + BODY));
    }

    private static HostileSenders refused(String id, String bytes) {
        return closed(id, 400, bytes);
    }

    private static HostileSenders closed(String id, int status, String bytes) {
        return new HostileSenders(id, bytes, status, false, List.of());
    }

    private static HostileSenders kept(String id, int status, String bytes) {
        return new HostileSenders(id, bytes, status, true, List.of());
    }

    private static HostileSenders stored(String id, String bytes) {
        return new HostileSenders(id, bytes, 200, true, List.of("hello"));
    }

    private static HostileSenders storedAndClosed(String id, String bytes) {
        return new HostileSenders(id, bytes, 200, false, List.of("hello"));
    }

    @Override
    public String toString() {
        return id;
    }
}
