package dev.sluice.faults.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.faults.wire.LinkConditions.LinkDirection;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

class TcpFaultProxyTest {

    private final ServerSocket server = listening();
    private final TcpFaultProxy proxy = TcpFaultProxy.inFrontOf(server.getLocalPort());

    @AfterEach
    void close() throws IOException {
        proxy.close();
        server.close();
    }

    @Test
    void in_fair_weather_all_passes_both_ways() throws IOException {
        try (var client = client();
                var other = server.accept()) {
            say(client, "there");
            assertThat(heard(other, 5)).isEqualTo("there");
            say(other, "and back");
            assertThat(heard(client, 8)).isEqualTo("and back");
        }
    }

    @Test
    void what_is_blocked_in_one_direction_passes_when_that_is_over() throws IOException {
        try (var client = client();
                var other = server.accept()) {
            say(client, "x");
            heard(other, 1);
            proxy.setConditions(LinkConditions.blocked(LinkDirection.TO_CLIENT));

            say(client, "there");
            assertThat(heard(other, 5)).isEqualTo("there");
            say(other, "back");
            client.setSoTimeout(200);
            assertThatThrownBy(() -> heard(client, 1)).isInstanceOf(SocketTimeoutException.class);

            proxy.setConditions(LinkConditions.UNIMPAIRED);
            client.setSoTimeout(0);
            assertThat(heard(client, 4)).isEqualTo("back");
        }
    }

    @Test
    void a_delay_holds_back_each_byte() throws IOException {
        proxy.setConditions(LinkConditions.delayed(Duration.ofMillis(150)));
        try (var client = client();
                var other = server.accept()) {
            long from = System.nanoTime();
            say(client, "late");
            heard(other, 4);
            assertThat(Duration.ofNanos(System.nanoTime() - from))
                    .isGreaterThanOrEqualTo(Duration.ofMillis(150));
        }
    }

    @Test
    void a_narrow_wire_takes_its_time() throws IOException {
        proxy.setConditions(LinkConditions.throttled(10_000));
        try (var client = client();
                var other = server.accept()) {
            long from = System.nanoTime();
            say(client, "x".repeat(2_000));
            heard(other, 2_000);
            assertThat(Duration.ofNanos(System.nanoTime() - from))
                    .isGreaterThanOrEqualTo(Duration.ofMillis(190));
        }
    }

    @Test
    void a_cut_resets_both_ends_after_so_many_bytes() throws IOException {
        proxy.setConditions(LinkConditions.cutAfter(10));
        try (var client = client();
                var other = server.accept()) {
            say(client, "123456789");
            heard(other, 9);
            say(client, "0");
            assertThat(isOver(client)).isTrue();
            assertThat(isOver(other)).isTrue();
        }
    }

    @Test
    void a_reset_ends_what_stands_and_lets_new_connections_pass() throws IOException {
        try (var client = client();
                var other = server.accept()) {
            say(client, "x");
            heard(other, 1);
            proxy.reset();
            assertThat(isOver(client)).isTrue();
            assertThat(isOver(other)).isTrue();
        }
        try (var client = client();
                var other = server.accept()) {
            say(client, "again");
            assertThat(heard(other, 5)).isEqualTo("again");
        }
    }

    private static ServerSocket listening() {
        try {
            return new ServerSocket(0, 10, InetAddress.getLoopbackAddress());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private Socket client() throws IOException {
        return new Socket(InetAddress.getLoopbackAddress(), proxy.port());
    }

    private static void say(Socket socket, String text) throws IOException {
        socket.getOutputStream().write(text.getBytes(StandardCharsets.US_ASCII));
    }

    private static String heard(Socket socket, int length) throws IOException {
        return new String(socket.getInputStream().readNBytes(length), StandardCharsets.US_ASCII);
    }

    private static boolean isOver(Socket socket) {
        try {
            while (socket.getInputStream().read() >= 0) {
                // what was there before the end
            }
            return true;
        } catch (IOException reset) {
            return true;
        }
    }
}
