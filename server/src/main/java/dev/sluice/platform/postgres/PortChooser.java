package dev.sluice.platform.postgres;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.Optional;
import java.util.random.RandomGenerator;

/// Chooses the embedded server's loopback port. The port stays the same across restarts, unless
/// another process is using it.
final class PortChooser {

    /// The lowest port that may be chosen. The whole range lies below the ports that Linux and
    /// macOS use for outgoing connections by default. An outgoing connection therefore cannot take
    /// the port while the server is restarting.
    private static final int MIN_PORT = 16_384;

    private static final int MAX_PORT = 32_767;

    private PortChooser() {}

    /// Returns the port recorded in `stateFile` if it is free. Otherwise finds a free port and
    /// records it in the file.
    static int choose(StateFile stateFile) {
        Optional<Integer> last =
                stateFile
                        .read()
                        .filter(line -> line.matches("[1-9]\\d{3,4}"))
                        .map(Integer::valueOf);
        if (last.isPresent() && last.get() <= MAX_PORT && isFree(last.get())) {
            return last.get();
        }
        int port = findFree();
        stateFile.write(Integer.toString(port));
        return port;
    }

    private static int findFree() {
        return RandomGenerator.getDefault()
                .ints(1000, MIN_PORT, MAX_PORT + 1)
                .filter(PortChooser::isFree)
                .findFirst()
                .orElseThrow(() ->
                        new PostgresStartException(
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
