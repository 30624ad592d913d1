package dev.sluice.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.SocketChannel;

/// A port that refuses connections. It is taken until `close`, so that nobody else can listen
/// there.
public final class ClosedPort implements AutoCloseable {

    private final SocketChannel keeper;

    private ClosedPort(SocketChannel keeper) {
        this.keeper = keeper;
    }

    public static ClosedPort take() {
        try {
            var keeper = SocketChannel.open(); // it never listens
            keeper.bind(new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), 0));
            return new ClosedPort(keeper);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public String url() {
        try {
            var address = (InetSocketAddress) keeper.getLocalAddress();
            return "http://127.0.0.1:" + address.getPort() + "/";
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() throws IOException {
        keeper.close();
    }
}
