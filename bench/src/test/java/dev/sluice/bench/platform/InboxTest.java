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

class InboxTest {

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

        assertThat(read(bytes)).containsExactly("/a one", "503 two,two", "/b ");
    }

    /// Each message as its path or status and its body; the bytes arrive one at a time.
    private static List<String> read(String bytes) throws IOException {
        var messages = new ArrayList<String>();
        try (var server = ServerSocketChannel.open()) {
            server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            try (var out = SocketChannel.open(server.getLocalAddress());
                    var in = server.accept()) {
                var inbox = new Inbox();
                for (byte letter : bytes.getBytes(StandardCharsets.US_ASCII)) {
                    out.write(ByteBuffer.wrap(new byte[] {letter}));
                    assertThat(inbox.fill(in)).isEqualTo(1);
                    while (!inbox.isEmpty() && inbox.isComplete()) {
                        String start =
                                inbox.path().startsWith("/")
                                        ? inbox.path()
                                        : Integer.toString(inbox.status());
                        messages.add(
                                start + " " + new String(inbox.body(), StandardCharsets.US_ASCII));
                        inbox.next();
                    }
                }
            }
        }
        return messages;
    }
}
