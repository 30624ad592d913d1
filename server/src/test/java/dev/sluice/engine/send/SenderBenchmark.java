package dev.sluice.engine.send;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import com.sun.management.OperatingSystemMXBean;

import dev.sluice.engine.Outcome;
import dev.sluice.gateway.destination.AuthConfig;
import dev.sluice.platform.net.AddressPolicy;
import dev.sluice.platform.net.Cidr;
import dev.sluice.platform.secret.Secret;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;

/// A benchmark that prints the CPU time of one send.
///
/// Run `sink`, then `send <port>` in a second process, so that only the sender is measured.
final class SenderBenchmark {

    private static final int SENDERS = 256;
    private static final int ROUNDS = 6;
    private static final int SENDS_PER_ROUND = 200_000;

    private SenderBenchmark() {}

    public static void main(String[] args) throws Exception {
        if (args[0].equals("sink")) {
            sink();
        } else {
            measure(Integer.parseInt(args[1]));
        }
    }

    private static void measure(int port) throws InterruptedException {
        var request =
                OutboundRequests.withAuth(
                        OutboundRequests.withInbound(
                                OutboundRequests.to("http://127.0.0.1:" + port + "/hook"),
                                "Content-Type: application/json",
                                "User-Agent: Provider/1.0",
                                "Accept: */*",
                                "X-Provider-Signature: t=1700000000,v1=0123456789abcdef",
                                "X-Provider-Event: order.paid"),
                        new AuthConfig.HmacAuth(new Secret("topsecret"), Optional.empty()));
        var sent = OutboundRequests.withBody(request, OutboundBody.of(new byte[1024]));
        var os = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        var policy = AddressPolicy.allowing(List.of(Cidr.parse("127.0.0.0/8")));
        try (var sender = HttpSender.open(policy, InstantSource.system(), "X-Service", 1024)) {
            for (int round = 0; round < ROUNDS; round++) {
                long cpu = os.getProcessCpuTime();
                long wall = System.nanoTime();
                long failed = sendAll(sender, sent);
                double seconds = (System.nanoTime() - wall) / 1e9;
                double micros = (os.getProcessCpuTime() - cpu) / 1e3 / SENDS_PER_ROUND;
                System.out.printf(
                        "%.0f sends/s, %.1f µs CPU a send, %d failed%n",
                        SENDS_PER_ROUND / seconds, micros, failed);
            }
        }
    }

    private static long sendAll(Sender sender, OutboundRequest request)
            throws InterruptedException {
        var left = new AtomicLong(SENDS_PER_ROUND);
        var failed = new AtomicLong();
        var done = new CountDownLatch(SENDERS);
        for (int i = 0; i < SENDERS; i++) {
            Thread.startVirtualThread(() -> {
                while (left.getAndDecrement() > 0) {
                    if (!(sender.send(request, () -> true)
                            instanceof Outcome.DestinationResponse)) {
                        failed.incrementAndGet();
                    }
                }
                done.countDown();
            });
        }
        done.await();
        return failed.get();
    }

    private static void sink() throws IOException {
        try (var server = new ServerSocket(0, 1024, InetAddress.ofLiteral("127.0.0.1"))) {
            System.out.println(server.getLocalPort());
            while (true) {
                var socket = server.accept();
                Thread.startVirtualThread(() -> answerRequests(socket));
            }
        }
    }

    /// Takes each read for one request, because the sender's requests arrive whole.
    private static void answerRequests(Socket socket) {
        byte[] answer = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok".getBytes(ISO_8859_1);
        byte[] buffer = new byte[16 << 10];
        try (socket) {
            while (socket.getInputStream().read(buffer) > 0) {
                socket.getOutputStream().write(answer);
            }
        } catch (IOException e) {
            // The sender closed the connection.
        }
    }
}
