package dev.sluice.platform.postgres;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.Optional;
import java.util.random.RandomGenerator;

/// Where the server listens on loopback: the same port at each start, while nobody else has it.
final class Port {

    /// Below what systems hand out for outgoing connections: one of those must not sit on the port
    /// while the server is being restarted.
    private static final int LOWEST = 16_384;

    private static final int HIGHEST = 32_767;

    private Port() {}

    /// The kept port, or a new one that is then kept.
    static int choose(Note kept) {
        Optional<Integer> last =
                kept.read().filter(line -> line.matches("[1-9]\\d{3,4}")).map(Integer::valueOf);
        if (last.isPresent() && last.get() <= HIGHEST && isFree(last.get())) {
            return last.get();
        }
        int port = free();
        kept.write(Integer.toString(port));
        return port;
    }

    private static int free() {
        return RandomGenerator.getDefault()
                .ints(1000, LOWEST, HIGHEST + 1)
                .filter(Port::isFree)
                .findFirst()
                .orElseThrow(() ->
                        new PostgresRefusal(
                                "No free port was found on 127.0.0.1 for the database. Check the"
                                        + " machine's network."));
    }

    private static boolean isFree(int port) {
        try (var socket = new ServerSocket()) {
            socket.bind(
                    new InetSocketAddress(
                            InetAddress.getByAddress(new byte[] {127, 0, 0, 1}), port));
            return true;
        } catch (IOException e) {
            return false;
        }
    }
}
