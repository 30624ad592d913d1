package dev.sluice.relay.send;

import static java.nio.charset.StandardCharsets.UTF_8;

import org.apache.hc.core5.http.ClassicHttpResponse;

import java.io.IOException;
import java.io.InputStream;

/// What was kept of an answer.
///
/// @param body the beginning of the body
/// @param retryAfter the header of that name; empty when there is none
/// @param isWhole whether the answer was read to its end, so that the connection can serve again
record Answer(int status, String body, String retryAfter, boolean isWhole) {

    /// How much of a body is kept. Stored text, so it may hold no NUL.
    static final int KEPT = 4 << 10;

    /// How much of a body is read, in the hope of its end and of using the connection again.
    private static final int READ = 64 << 10;

    static Answer of(ClassicHttpResponse response) throws IOException {
        var entity = response.getEntity();
        if (entity == null) {
            return new Answer(response.getCode(), "", retryAfter(response), true);
        }
        long announced = entity.getContentLength();
        byte[] kept = new byte[announced >= 0 && announced < KEPT ? (int) announced : KEPT];
        // The stream is not closed: closing would read on to the end.
        var in = entity.getContent();
        int length = in.readNBytes(kept, 0, kept.length);
        boolean isWhole =
                length == announced || length < kept.length || (announced <= READ && drain(in));
        return new Answer(response.getCode(), text(kept, length), retryAfter(response), isWhole);
    }

    /// Whether the end came before the limit did.
    private static boolean drain(InputStream in) throws IOException {
        byte[] ignored = new byte[KEPT];
        for (int left = READ - KEPT + 1; left > 0; ) {
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

    /// UTF-8, bytes that are none replaced. A character cut in two by the limit is left out.
    static String text(byte[] bytes, int length) {
        int end = length == KEPT ? startOfCutCharacter(bytes, length) : length;
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
