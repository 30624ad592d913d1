package dev.sluice.journey;

import java.util.ArrayList;
import java.util.List;

/// Raw bytes that a hostile sender may write to an ingest URL, and the expected result.
///
/// @param id the id in the reference of hostile senders
/// @param bytes the bytes, one for each character; `IN` is replaced by the path of the ingest URL
/// @param status the expected status
/// @param isKept whether the connection serves further requests
/// @param stored the body of each stored event; empty when nothing is stored
public record HostileRequest(
        String id, String bytes, int status, boolean isKept, List<String> stored) {

    private static final String POST_HEAD = "POST IN HTTP/1.1\r\nHost: h\r\n";
    private static final String FIVE_BYTE_BODY = "Content-Length: 5\r\n\r\nhello";
    private static final String CHUNKED_HEADER = "Transfer-Encoding: chunked\r\n";
    private static final String CHUNKED_BODY = "5\r\nhello\r\n0\r\n\r\n";
    private static final int MIB = 1 << 20;

    public static List<HostileRequest> all() {
        var all = new ArrayList<HostileRequest>();
        all.addAll(lengths());
        all.addAll(chunks());
        all.addAll(headers());
        all.addAll(versionsAndHosts());
        all.addAll(targets());
        all.addAll(methodsAndExpectations());
        return all;
    }

    private static List<HostileRequest> lengths() {
        return List.of(
                refused(
                        "length-and-chunked",
                        POST_HEAD + "Content-Length: 5\r\n" + CHUNKED_HEADER + "\r\n0\r\n\r\n"),
                refused(
                        "chunked-and-length",
                        POST_HEAD + CHUNKED_HEADER + "Content-Length: 5\r\n\r\n" + CHUNKED_BODY),
                refused("two-lengths-alike", POST_HEAD + "Content-Length: 5\r\n" + FIVE_BYTE_BODY),
                refused("two-lengths-unlike", POST_HEAD + "Content-Length: 6\r\n" + FIVE_BYTE_BODY),
                refused("length-list", POST_HEAD + "Content-Length: 5, 5\r\n\r\nhello"),
                refused("length-with-sign", POST_HEAD + "Content-Length: +5\r\n\r\nhello"),
                refused("length-negative", POST_HEAD + "Content-Length: -5\r\n\r\nhello"),
                refused("length-hexadecimal", POST_HEAD + "Content-Length: 0x5\r\n\r\nhello"),
                refused("length-with-space", POST_HEAD + "Content-Length: 5 5\r\n\r\nhello"),
                refused("length-empty", POST_HEAD + "Content-Length:\r\n\r\nhello"),
                refused(
                        "length-over-64-bit",
                        POST_HEAD + "Content-Length: 99999999999999999999\r\n\r\n"),
                closed(
                        "length-over-32-bit",
                        413,
                        POST_HEAD + "Content-Length: 4294967301\r\n\r\nhello"),
                closed(
                        "length-over-1-mib",
                        413,
                        POST_HEAD + "Content-Length: 1048577\r\n\r\nhello"));
    }

    private static List<HostileRequest> chunks() {
        String chunked = POST_HEAD + CHUNKED_HEADER + "\r\n";
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
                refused(
                        "chunked-twice",
                        POST_HEAD + CHUNKED_HEADER + CHUNKED_HEADER + "\r\n" + CHUNKED_BODY),
                refused(
                        "chunked-not-last",
                        POST_HEAD + "Transfer-Encoding: chunked, gzip\r\n\r\n" + CHUNKED_BODY),
                kept(
                        "coding-unknown",
                        400,
                        POST_HEAD + "Transfer-Encoding: gzip, chunked\r\n\r\n" + CHUNKED_BODY),
                refused(
                        "coding-without-chunked",
                        POST_HEAD + "Transfer-Encoding: gzip\r\n\r\nhello"),
                refused(
                        "coding-disguised",
                        POST_HEAD + "Transfer-Encoding: \013chunked\r\n\r\n" + CHUNKED_BODY),
                stored(
                        "trailers-dropped",
                        chunked + "5\r\nhello\r\n0\r\nContent-Length: 99\r\n\r\n"),
                refused(
                        "trailers-bomb",
                        chunked + "5\r\nhello\r\n0\r\n" + "X-T: 1\r\n".repeat(20_000)));
    }

    private static List<HostileRequest> headers() {
        return List.of(
                closed(
                        "header-bomb-one",
                        431,
                        POST_HEAD + "X: " + "a".repeat(33_000) + "\r\n" + FIVE_BYTE_BODY),
                closed(
                        "header-bomb-many",
                        431,
                        POST_HEAD + "A: b\r\n".repeat(6_000) + FIVE_BYTE_BODY),
                closed(
                        "request-line-bomb",
                        431,
                        "POST IN?"
                                + "a".repeat(40_000)
                                + " HTTP/1.1\r\nHost: h\r\n"
                                + FIVE_BYTE_BODY),
                closed("empty-lines-bomb", 431, "\r\n".repeat(20_000) + POST_HEAD + FIVE_BYTE_BODY),
                refused("header-with-nul", POST_HEAD + "X: a\0b\r\n" + FIVE_BYTE_BODY),
                refused("header-with-bare-cr", POST_HEAD + "X: a\rb\r\n" + FIVE_BYTE_BODY),
                refused("header-with-control", POST_HEAD + "X: a\001b\r\n" + FIVE_BYTE_BODY),
                stored("header-not-ascii", POST_HEAD + "X: a\u00ffb\r\n" + FIVE_BYTE_BODY),
                refused("header-name-not-ascii", POST_HEAD + "X\u00ff: b\r\n" + FIVE_BYTE_BODY),
                refused("header-name-with-nul", POST_HEAD + "X\0: b\r\n" + FIVE_BYTE_BODY),
                refused("header-name-empty", POST_HEAD + ": b\r\n" + FIVE_BYTE_BODY),
                refused("header-without-colon", POST_HEAD + "abc\r\n" + FIVE_BYTE_BODY),
                refused(
                        "header-space-before-colon",
                        POST_HEAD + "Transfer-Encoding : chunked\r\n\r\n" + CHUNKED_BODY),
                refused("header-folded", POST_HEAD + "X: a\r\n b\r\n" + FIVE_BYTE_BODY),
                refused("header-space-first", "POST IN HTTP/1.1\r\n Host: h\r\n" + FIVE_BYTE_BODY),
                refused("bare-lf", (POST_HEAD + FIVE_BYTE_BODY).replace("\r\n", "\n")),
                refused("bare-lf-once", POST_HEAD + "X: a\n" + FIVE_BYTE_BODY),
                refused("bare-cr", (POST_HEAD + FIVE_BYTE_BODY).replace("\r\n", "\r")),
                stored("empty-lines-first", "\r\n\r\n" + POST_HEAD + FIVE_BYTE_BODY),
                stored("gzip-body", POST_HEAD + "Content-Encoding: gzip\r\n" + FIVE_BYTE_BODY),
                stored(
                        "connection-names-framing",
                        POST_HEAD + "Connection: Host, Content-Length\r\n" + FIVE_BYTE_BODY),
                stored(
                        "upgrade-h2c",
                        POST_HEAD
                                + "Connection: Upgrade, HTTP2-Settings\r\n"
                                + "Upgrade: h2c\r\n"
                                + "HTTP2-Settings: AAMAAABkAAQAAP__\r\n"
                                + FIVE_BYTE_BODY),
                kept(
                        "upgrade-websocket",
                        200,
                        "GET IN HTTP/1.1\r\n"
                                + "Host: h\r\n"
                                + "Connection: Upgrade\r\n"
                                + "Upgrade: websocket\r\n\r\n"));
    }

    private static List<HostileRequest> versionsAndHosts() {
        return List.of(
                storedAndClosed("http-1.0", "POST IN HTTP/1.0\r\n" + FIVE_BYTE_BODY),
                storedAndClosed(
                        "http-1.0-chunked",
                        "POST IN HTTP/1.0\r\n" + CHUNKED_HEADER + "\r\n" + CHUNKED_BODY),
                stored(
                        "http-1.0-keep-alive",
                        "POST IN HTTP/1.0\r\nConnection: keep-alive\r\n" + FIVE_BYTE_BODY),
                new HostileRequest(
                        "http-1.0-without-length",
                        "POST IN HTTP/1.0\r\n\r\n",
                        200,
                        false,
                        List.of("")),
                closed("http-0.9", 505, "GET IN\r\n"),
                closed("http-1.2", 505, "POST IN HTTP/1.2\r\nHost: h\r\n" + FIVE_BYTE_BODY),
                closed("http-2-preface", 505, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"),
                refused("http-none", "SSH-2.0-OpenSSH_9.0\r\n\r\n"),
                refused(
                        "tls-on-the-plain-port",
                        "\026\003\001\002\000\001\000\001\374\003\003" + "\0".repeat(200)),
                refused(
                        "proxy-protocol",
                        "PROXY TCP4 1.2.3.4 5.6.7.8 1 2\r\n" + POST_HEAD + FIVE_BYTE_BODY),
                refused("nul-bytes", "\0".repeat(5_000)),
                refused("host-absent", "POST IN HTTP/1.1\r\n" + FIVE_BYTE_BODY),
                refused("host-empty", "POST IN HTTP/1.1\r\nHost:\r\n" + FIVE_BYTE_BODY),
                refused(
                        "host-twice",
                        "POST IN HTTP/1.1\r\nHost: a\r\nHost: b\r\n" + FIVE_BYTE_BODY),
                refused(
                        "host-twice-alike",
                        "POST IN HTTP/1.1\r\nHost: h\r\n" + "Host: h\r\n" + FIVE_BYTE_BODY),
                refused("host-malformed", "POST IN HTTP/1.1\r\nHost: a b/c@d\r\n" + FIVE_BYTE_BODY),
                refused(
                        "host-bad-port",
                        "POST IN HTTP/1.1\r\nHost: a:99999999\r\n" + FIVE_BYTE_BODY));
    }

    private static List<HostileRequest> targets() {
        return List.of(
                stored(
                        "target-absolute",
                        "POST http://hIN HTTP/1.1\r\nHost: h\r\n" + FIVE_BYTE_BODY),
                kept(
                        "target-absolute-other-host",
                        400,
                        "POST http://otherIN HTTP/1.1\r\nHost: h\r\n" + FIVE_BYTE_BODY),
                kept(
                        "target-with-user",
                        400,
                        "POST http://u:p@hIN HTTP/1.1\r\nHost: h\r\n" + FIVE_BYTE_BODY),
                refused("target-relative", "POST in/x HTTP/1.1\r\nHost: h\r\n" + FIVE_BYTE_BODY),
                refused(
                        "target-backslash",
                        "POST \\in\\x HTTP/1.1\r\nHost: h\r\n" + FIVE_BYTE_BODY),
                kept("target-fragment", 400, "POST IN#x HTTP/1.1\r\nHost: h\r\n" + FIVE_BYTE_BODY),
                kept("target-asterisk", 404, "OPTIONS * HTTP/1.1\r\nHost: h\r\n\r\n"),
                kept(
                        "target-empty-segment",
                        400,
                        "POST /IN HTTP/1.1\r\nHost: h\r\n" + FIVE_BYTE_BODY),
                kept(
                        "target-parameter",
                        404,
                        "POST IN;x=y HTTP/1.1\r\nHost: h\r\n" + FIVE_BYTE_BODY),
                kept(
                        "target-dot-segment",
                        404,
                        "POST /.IN HTTP/1.1\r\nHost: h\r\n" + FIVE_BYTE_BODY),
                kept(
                        "target-dot-dot-segment",
                        404,
                        "POST /x/..IN HTTP/1.1\r\nHost: h\r\n" + FIVE_BYTE_BODY),
                kept(
                        "target-dot-dot-to-the-api",
                        404,
                        "GET /in/../api/v1/status HTTP/1.1\r\nHost: h\r\n\r\n"),
                kept(
                        "target-encoded-dots",
                        400,
                        "POST /x/%2e%2eIN HTTP/1.1\r\nHost: h\r\n" + FIVE_BYTE_BODY),
                kept(
                        "target-encoded-letter",
                        404,
                        "POST /%69n/x HTTP/1.1\r\nHost: h\r\n" + FIVE_BYTE_BODY),
                kept(
                        "target-encoded-slash",
                        400,
                        "POST IN%2f HTTP/1.1\r\nHost: h\r\n" + FIVE_BYTE_BODY),
                closed(
                        "target-encoded-nul",
                        400,
                        "POST IN%00 HTTP/1.1\r\nHost: h\r\n" + FIVE_BYTE_BODY),
                closed(
                        "target-bad-encoding",
                        400,
                        "POST IN%zz HTTP/1.1\r\nHost: h\r\n" + FIVE_BYTE_BODY),
                stored(
                        "target-slash-at-the-end",
                        "POST IN/ HTTP/1.1\r\nHost: h\r\n" + FIVE_BYTE_BODY),
                kept(
                        "target-not-ascii",
                        400,
                        "POST IN\u00c3\u00a9 HTTP/1.1\r\nHost: h\r\n" + FIVE_BYTE_BODY),
                stored(
                        "query-bad-encoding",
                        "POST IN?%zz&%ff HTTP/1.1\r\nHost: h\r\n" + FIVE_BYTE_BODY),
                stored(
                        "query-not-ascii",
                        "POST IN?\u00ff HTTP/1.1\r\nHost: h\r\n" + FIVE_BYTE_BODY),
                kept(
                        "challenge-bad-encoding",
                        400,
                        "GET IN?hub.mode=subscribe&hub.challenge=%ff HTTP/1.1\r\nHost: h\r\n\r\n"));
    }

    private static List<HostileRequest> methodsAndExpectations() {
        return List.of(
                kept("method-trace", 405, "TRACE IN HTTP/1.1\r\nHost: h\r\nX-Secret: s\r\n\r\n"),
                kept("method-options", 405, "OPTIONS IN HTTP/1.1\r\nHost: h\r\n\r\n"),
                kept("method-connect", 404, "CONNECT h:80 HTTP/1.1\r\nHost: h:80\r\n\r\n"),
                closed("method-connect-with-path", 400, "CONNECT IN HTTP/1.1\r\nHost: h\r\n\r\n"),
                kept("method-lower-case", 405, "post IN HTTP/1.1\r\nHost: h\r\n" + FIVE_BYTE_BODY),
                refused("method-malformed", "PO(ST IN HTTP/1.1\r\nHost: h\r\n" + FIVE_BYTE_BODY),
                kept("get-with-body", 200, "GET IN HTTP/1.1\r\nHost: h\r\n" + FIVE_BYTE_BODY),
                stored(
                        "expect-continue-with-body",
                        POST_HEAD + "Expect: 100-continue\r\n" + FIVE_BYTE_BODY),
                closed(
                        "expect-continue-too-large",
                        413,
                        POST_HEAD + "Expect: 100-continue\r\nContent-Length: 2000000\r\n\r\n"),
                closed(
                        "expect-continue-unknown-url",
                        404,
                        "POST /in/nobody HTTP/1.1\r\n"
                                + "Host: h\r\n"
                                + "Expect: 100-continue\r\n"
                                + "Content-Length: 5\r\n\r\n"),
                closed(
                        "expect-unknown",
                        417,
                        POST_HEAD + "Expect: 200-maybe\r\n" + FIVE_BYTE_BODY));
    }

    private static HostileRequest refused(String id, String bytes) {
        return closed(id, 400, bytes);
    }

    private static HostileRequest closed(String id, int status, String bytes) {
        return new HostileRequest(id, bytes, status, false, List.of());
    }

    private static HostileRequest kept(String id, int status, String bytes) {
        return new HostileRequest(id, bytes, status, true, List.of());
    }

    private static HostileRequest stored(String id, String bytes) {
        return new HostileRequest(id, bytes, 200, true, List.of("hello"));
    }

    private static HostileRequest storedAndClosed(String id, String bytes) {
        return new HostileRequest(id, bytes, 200, false, List.of("hello"));
    }

    @Override
    public String toString() {
        return id;
    }
}
