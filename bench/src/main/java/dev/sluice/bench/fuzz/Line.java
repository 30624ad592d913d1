package dev.sluice.bench.fuzz;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import org.jspecify.annotations.Nullable;

import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/// A connection that sends any bytes and reads one answer, opened again where the relay closed it.
/// Owned by one thread.
final class Line implements AutoCloseable {

    private static final Duration PATIENCE = Duration.ofSeconds(20);

    private final InetSocketAddress address;
    private @Nullable Socket socket;
    private InputStream in = InputStream.nullInputStream();

    Line(URI base) {
        this.address = new InetSocketAddress(base.getHost(), base.getPort());
    }

    /// @throws IOException when there is no answer, also not on a connection of its own
    Answer send(Shot shot) throws IOException {
        boolean isFresh = socket == null;
        try {
            return exchange(shot);
        } catch (IOException e) {
            close();
            if (isFresh) {
                throw e;
            }
            return exchange(shot);
        }
    }

    private Answer exchange(Shot shot) throws IOException {
        var open = open();
        byte[] bytes = shot.bytes();
        try {
            open.getOutputStream().write(bytes);
        } catch (IOException refused) {
            // It may have answered before it stopped reading.
        }
        Answer answer;
        do {
            answer = read(shot.isHead());
        } while (answer.status() < 200);
        if (answer.header("Connection").filter("close"::equalsIgnoreCase).isPresent()) {
            close();
        }
        return answer;
    }

    private Socket open() throws IOException {
        if (socket == null) {
            var fresh = new Socket();
            fresh.setTcpNoDelay(true);
            fresh.setSoTimeout((int) PATIENCE.toMillis());
            fresh.connect(address, (int) PATIENCE.toMillis());
            in = new BufferedInputStream(fresh.getInputStream());
            socket = fresh;
            return fresh;
        }
        return socket;
    }

    private Answer read(boolean isHead) throws IOException {
        int status = Integer.parseInt(line().split(" ", 3)[1]);
        var headers = new ArrayList<String>();
        for (String line = line(); !line.isEmpty(); line = line()) {
            headers.add(line);
        }
        var head = new Answer(status, List.copyOf(headers), "");
        boolean hasBody = !isHead && status >= 200 && status != 204 && status != 304;
        int length = hasBody ? head.header("Content-Length").map(Integer::parseInt).orElse(0) : 0;
        return new Answer(status, head.headers(), new String(in.readNBytes(length), UTF_8));
    }

    private String line() throws IOException {
        var line = new StringBuilder();
        for (int next = in.read(); next != '\n'; next = in.read()) {
            if (next < 0) {
                throw new EOFException("closed without an answer");
            }
            line.append((char) next);
        }
        byte[] bytes = line.toString().getBytes(ISO_8859_1);
        return new String(bytes, ISO_8859_1).stripTrailing();
    }

    @Override
    public void close() {
        if (socket != null) {
            try {
                socket.close();
            } catch (IOException e) {
                // It is of no use any more either way.
            }
            socket = null;
        }
    }
}
