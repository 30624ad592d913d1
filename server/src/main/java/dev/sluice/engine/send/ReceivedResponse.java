package dev.sluice.engine.send;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sluice.engine.ResponseClass;
import dev.sluice.platform.http.Header;

import org.apache.hc.core5.http.ClassicHttpResponse;
import org.apache.hc.core5.http.HttpResponse;
import org.apache.hc.core5.http.MalformedChunkCodingException;
import org.apache.hc.core5.http.MessageConstraintException;
import org.apache.hc.core5.http.TruncatedChunkException;
import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/// The parts of an HTTP response that an attempt records.
///
/// @param body the first bytes of the body, as text; see [#MAX_KEPT_BYTES]
/// @param retryAfter the value of the `Retry-After` header; empty if there is none
/// @param isFullyRead whether the response was read to its end; otherwise the connection cannot be
///   reused
/// @param head the response itself; only its headers may still be read
/// @param remark where a redirect leads, or what is not valid HTTP in a response whose status is
///   2xx; without control characters, and cut if it is long
record ReceivedResponse(
        int status,
        String body,
        String retryAfter,
        boolean isFullyRead,
        HttpResponse head,
        Optional<String> remark) {

    /// The maximum number of body bytes that are recorded of a response that is no success.
    static final int MAX_KEPT_BYTES = 16 << 10;

    /// The maximum number of body bytes that are recorded of a success.
    static final int MAX_KEPT_BYTES_OF_SUCCESS = 1 << 10;

    /// A body up to this size is read to its end, so that the connection can be reused.
    private static final int MAX_READ_BYTES = 64 << 10;

    private static final int MAX_REMARK_CHARS = 200;

    static ReceivedResponse of(ClassicHttpResponse response) throws IOException {
        var entity = response.getEntity();
        if (entity == null) {
            return received(response, "", true, redirectTarget(response));
        }
        int limit = isSuccess(response) ? MAX_KEPT_BYTES_OF_SUCCESS : MAX_KEPT_BYTES;
        long announced = entity.getContentLength();
        byte[] kept = new byte[announced >= 0 && announced < limit ? (int) announced : limit];
        // The stream is not closed, since closing it would read the body to its end.
        var in = entity.getContent();
        int length = 0;
        try {
            for (int count = 0; count >= 0 && length < kept.length; length += Math.max(0, count)) {
                count = in.read(kept, length, kept.length - length);
            }
            boolean isWhole =
                    length == announced
                            || length < kept.length
                            || (announced <= MAX_READ_BYTES && drain(in, MAX_READ_BYTES - length));
            return received(response, text(kept, length, limit), isWhole, redirectTarget(response));
        } catch (TruncatedChunkException e) {
            throw e; // the connection was closed
        } catch (MalformedChunkCodingException | MessageConstraintException e) {
            if (isSuccess(response)) {
                return received(response, text(kept, length, limit), false, invalidRest(e));
            }
            throw e;
        }
    }

    /// Returns a response whose status is 2xx and that is not valid HTTP after that.
    static ReceivedResponse invalid(ClassicHttpResponse response, Exception fault) {
        return received(response, "", false, invalidRest(fault));
    }

    private static ReceivedResponse received(
            ClassicHttpResponse response,
            String body,
            boolean isFullyRead,
            Optional<String> remark) {
        return new ReceivedResponse(
                response.getCode(),
                body,
                header(response, "Retry-After").orElse(""),
                isFullyRead,
                response,
                remark);
    }

    private static boolean isSuccess(ClassicHttpResponse response) {
        return ResponseClass.of(response.getCode()) == ResponseClass.SUCCESS;
    }

    private static Optional<String> invalidRest(Exception fault) {
        return Optional.of(
                "The rest of the response is not valid HTTP: "
                        + SendException.quoted(
                                String.valueOf(fault.getMessage()), MAX_REMARK_CHARS));
    }

    private static Optional<String> redirectTarget(ClassicHttpResponse response) {
        return ResponseClass.of(response.getCode()) == ResponseClass.REDIRECT
                ? header(response, "Location")
                        .map(to ->
                                SendException.quoted(new Header("", to).text(), MAX_REMARK_CHARS))
                        .filter(to -> !to.isBlank())
                : Optional.empty();
    }

    /// Reads the rest of the body. Returns false, and stops reading, if it is longer than
    /// `maxBytes`.
    private static boolean drain(InputStream in, int maxBytes) throws IOException {
        byte[] ignored = new byte[4 << 10];
        for (int left = maxBytes + 1; left > 0; ) {
            int count = in.read(ignored, 0, Math.min(ignored.length, left));
            if (count < 0) {
                return true;
            }
            left -= count;
        }
        return false;
    }

    private static Optional<String> header(ClassicHttpResponse response, String name) {
        var header = response.getFirstHeader(name);
        return header == null ? Optional.empty() : Optional.ofNullable(header.getValue());
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
    ///
    /// @param limit the number of bytes after which the body was cut
    static String text(byte[] bytes, int length, int limit) {
        int end = length == limit ? startOfCutCharacter(bytes, length) : length;
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
