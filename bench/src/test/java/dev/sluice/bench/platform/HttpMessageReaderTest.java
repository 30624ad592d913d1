package dev.sluice.bench.platform;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

class HttpMessageReaderTest {

    @Test
    void messages_come_out_one_by_one_however_the_bytes_come_in() throws IOException {
        String bytes =
                """
                POST /a HTTP/1.1
                CONTENT-length: 3

                oneHTTP/1.1 503 No
                Transfer-Encoding: chunked

                4;x=y
                two,
                3
                two
                0

                GET /b HTTP/1.1

                """
                        .replace("\n", "\r\n");

        assertThat(read(bytes))
                .containsExactly(
                        new ReadMessage("/a", "one"),
                        new ReadMessage("503", "two,two"),
                        new ReadMessage("/b", ""));
    }

    /// @param start the path of a request, the status of a response
    private record ReadMessage(String start, String body) {}

    /// Reads bytes that arrive one at a time.
    private static List<ReadMessage> read(String bytes) throws IOException {
        var messages = new ArrayList<ReadMessage>();
        try (var server = ServerSocketChannel.open()) {
            server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            try (var out = SocketChannel.open(server.getLocalAddress());
                    var in = server.accept()) {
                var reader = new HttpMessageReader();
                for (byte letter : bytes.getBytes(StandardCharsets.US_ASCII)) {
                    out.write(ByteBuffer.wrap(new byte[] {letter}));
                    assertThat(reader.fill(in)).isEqualTo(1);
                    while (!reader.isEmpty() && reader.isComplete()) {
                        String start =
                                reader.path().startsWith("/")
                                        ? reader.path()
                                        : Integer.toString(reader.status());
                        messages.add(
                                new ReadMessage(
                                        start,
                                        new String(reader.body(), StandardCharsets.US_ASCII)));
                        reader.discardMessage();
                    }
                }
            }
        }
        return messages;
    }
}
