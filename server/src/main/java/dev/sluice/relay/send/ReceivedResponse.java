package dev.sluice.relay.send;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sluice.platform.http.Header;

import org.apache.hc.core5.http.ClassicHttpResponse;
import org.apache.hc.core5.http.HttpResponse;
import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import java.util.List;

/// The parts of an HTTP response that an attempt records.
///
/// @param body the first 4 KiB of the body, as text
/// @param retryAfter the value of the `Retry-After` header; empty if there is none
/// @param isFullyRead whether the response was read to its end; otherwise the connection cannot be
///   reused
/// @param head the response itself; only its headers may still be read
record ReceivedResponse(
        int status, String body, String retryAfter, boolean isFullyRead, HttpResponse head) {

    /// The maximum number of body bytes that are recorded.
    static final int MAX_KEPT_BYTES = 4 << 10;

    /// A body up to this size is read to its end, so that the connection can be reused.
    private static final int MAX_READ_BYTES = 64 << 10;

    static ReceivedResponse of(ClassicHttpResponse response) throws IOException {
        var entity = response.getEntity();
        if (entity == null) {
            return new ReceivedResponse(
                    response.getCode(), "", retryAfter(response), true, response);
        }
        long announced = entity.getContentLength();
        byte[] kept =
                new byte
                        [announced >= 0 && announced < MAX_KEPT_BYTES
                                ? (int) announced
                                : MAX_KEPT_BYTES];
        // The stream is not closed, since closing it would read the body to its end.
        var in = entity.getContent();
        int length = in.readNBytes(kept, 0, kept.length);
        boolean isWhole =
                length == announced
                        || length < kept.length
                        || (announced <= MAX_READ_BYTES && drain(in));
        return new ReceivedResponse(
                response.getCode(), text(kept, length), retryAfter(response), isWhole, response);
    }

    /// Reads the rest of the body. Returns false, and stops reading, if the body is longer than
    /// [#MAX_READ_BYTES].
    private static boolean drain(InputStream in) throws IOException {
        byte[] ignored = new byte[MAX_KEPT_BYTES];
        for (int left = MAX_READ_BYTES - MAX_KEPT_BYTES + 1; left > 0; ) {
            int count = in.read(ignored, 0, Math.min(ignored.length, left));
            if (count < 0) {
                return true;
            }
            left -= count;
        }
        return false;
    }

    private static String retryAfter(ClassicHttpResponse response) {
        var header = response.getFirstHeader("Retry-After");
        return header == null || header.getValue() == null ? "" : header.getValue();
    }

    /// Returns the headers in the order in which they were received.
    List<Header> headers() {
        return Arrays.stream(head.getHeaders())
                .map(header -> new Header(header.getName(), value(header.getValue())))
                .toList();
    }

    private static String value(@Nullable String value) {
        return value == null ? "" : value;
    }

    /// Decodes the first `length` bytes as UTF-8. Replaces invalid bytes and NUL with U+FFFD.
    /// Leaves out the last character if the length limit splits it.
    static String text(byte[] bytes, int length) {
        int end = length == MAX_KEPT_BYTES ? startOfCutCharacter(bytes, length) : length;
        return new String(bytes, 0, end, UTF_8).replace('\0', '\ufffd');
    }

    private static int startOfCutCharacter(byte[] bytes, int length) {
        for (int i = length - 1; i >= length - 3; i--) {
            int lead = bytes[i] & 0xff;
            if (lead >= 0xc0) {
                int size = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
                return i + size > length ? i : length;
            }
            if (lead < 0x80) {
                return length;
            }
        }
        return length;
    }
}
