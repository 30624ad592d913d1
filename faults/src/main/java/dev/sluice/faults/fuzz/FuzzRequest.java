package dev.sluice.faults.fuzz;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dev.sluice.contract.ApiOperation;

/// A fuzz request, byte for byte.
///
/// @param number identifies the request; the same seed and number generate the same request if the
///   same ids are known
/// @param operation the operation that the request was generated from
/// @param kind the name of the defect in the request, or `valid`
/// @param target the target in the request line, with one character for each byte
/// @param headers the header lines with their line endings, with one character for each byte
/// @param body the body, with one character for each byte
public record FuzzRequest(
        int number,
        ApiOperation operation,
        String kind,
        String method,
        String target,
        String headers,
        String body) {

    boolean isHead() {
        return method.equals("HEAD");
    }

    /// Returns the path without the query. If the target is a full URL (the absolute-form of RFC
    /// 9112, section 3.2.2), returns only its path.
    String path() {
        String path = target.split("\\?", 2)[0];
        return path.startsWith("http://") ? path.replaceFirst("^http://[^/]*", "") : path;
    }

    byte[] bytes() {
        String head = method + " " + target + " HTTP/1.1\r\n" + headers + "\r\n";
        return (head + body).getBytes(ISO_8859_1);
    }

    @Override
    public String toString() {
        String start = body.length() > 300 ? body.substring(0, 300) + " …" : body;
        String shown = target.length() > 300 ? target.substring(0, 300) + " …" : target;
        return "#%d %s, %s: %s %s %s"
                .formatted(number, operation.id(), kind, method, shown, start)
                .replaceAll("\\p{Cntrl}", ".");
    }
}
