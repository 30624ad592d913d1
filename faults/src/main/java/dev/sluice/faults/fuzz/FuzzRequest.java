package dev.sluice.faults.fuzz;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dev.sluice.contract.ApiOperation;

/// One request, to the byte.
///
/// @param number says, with the seed, how to make it again
/// @param operation that it was made from
/// @param kind what is wrong with it, or `valid`
/// @param target as in the request line, a character for each byte
/// @param headers lines with their ends, a character for each byte
/// @param body a character for each byte
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

    /// Without the query; of an address in full (RFC 9112, 3.2.2) the path only.
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
