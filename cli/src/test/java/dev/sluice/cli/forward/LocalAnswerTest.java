package dev.sluice.cli.forward;

import static org.assertj.core.api.Assertions.assertThat;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import org.junit.jupiter.api.Test;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;

/// Tests that responses of any size are read to their end.
class LocalAnswerTest {

    private static final String KEPT = "a".repeat(2_000);

    private static final byte[] CHUNK = chunk(17 << 20);

    private static byte[] chunk(int size) {
        byte[] chunk = new byte[size];
        Arrays.fill(chunk, (byte) 'a');
        return chunk;
    }

    @Test
    void a_chunk_of_17_mib_is_one_chunk() throws IOException {
        assertRead(
                bytes("HTTP/1.1 500 Oops\r\nTransfer-Encoding: chunked\r\n\r\n"),
                bytes("1100000;name=value\r\n"),
                CHUNK,
                bytes("\r\n1100000\r\n"),
                CHUNK,
                bytes("\r\n0\r\n"));
    }

    @Test
    void a_body_of_34_mib_is_read_to_its_end() throws IOException {
        String status = "HTTP/1.1 500 Oops\r\n";

        assertRead(bytes(status + "Content-Length: 35651584\r\n\r\n"), CHUNK, CHUNK);
        assertRead(bytes(status + "Connection: close\r\n\r\n"), CHUNK, CHUNK);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(ISO_8859_1);
    }

    private static void assertRead(byte[]... parts) throws IOException {
        var streams = List.of(parts).stream().<InputStream>map(ByteArrayInputStream::new).toList();
        try (var in = new SequenceInputStream(Collections.enumeration(streams))) {
            assertThat(LocalAnswer.read(in)).isEqualTo(new LocalAnswer(500, KEPT));
            assertThat(in.read()).isEqualTo(-1);
        }
    }
}
