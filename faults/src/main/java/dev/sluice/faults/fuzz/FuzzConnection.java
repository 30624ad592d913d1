package dev.sluice.faults.fuzz;

import static dev.sluice.bench.platform.UncheckedCalls.closeQuietly;

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

/// A connection to the relay that can send arbitrary bytes and reads one response for each request.
/// It reconnects if the relay has closed the connection. Not thread-safe.
final class FuzzConnection implements AutoCloseable {

    private static final Duration ANSWER_TIMEOUT = Duration.ofSeconds(20);

    private final InetSocketAddress address;
    private @Nullable Socket socket;
    private InputStream in = InputStream.nullInputStream();

    FuzzConnection(URI base) {
        this.address = new InetSocketAddress(base.getHost(), base.getPort());
    }

    /// @throws IOException if there is no response, even on a new connection
    FuzzResponse send(FuzzRequest request) throws IOException {
        boolean isFresh = socket == null;
        try {
            return exchange(request);
        } catch (IOException e) {
            close();
            if (isFresh) {
                throw e;
            }
            return exchange(request);
        }
    }

    private FuzzResponse exchange(FuzzRequest request) throws IOException {
        var open = open();
        byte[] bytes = request.bytes();
        try {
            open.getOutputStream().write(bytes);
        } catch (IOException refused) {
            // The relay may have answered before it stopped reading, so the response is read
            // anyway.
        }
        FuzzResponse answer;
        do {
            answer = read(request.isHead());
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
            fresh.setSoTimeout((int) ANSWER_TIMEOUT.toMillis());
            fresh.connect(address, (int) ANSWER_TIMEOUT.toMillis());
            in = new BufferedInputStream(fresh.getInputStream());
            socket = fresh;
            return fresh;
        }
        return socket;
    }

    private FuzzResponse read(boolean isHead) throws IOException {
        int status = Integer.parseInt(readLine().split(" ", 3)[1]);
        var headers = new ArrayList<String>();
        for (String line = readLine(); !line.isEmpty(); line = readLine()) {
            headers.add(line);
        }
        var head = new FuzzResponse(status, List.copyOf(headers), "");
        boolean hasBody = !isHead && status >= 200 && status != 204 && status != 304;
        int length = hasBody ? head.header("Content-Length").map(Integer::parseInt).orElse(0) : 0;
        return new FuzzResponse(status, head.headers(), new String(in.readNBytes(length), UTF_8));
    }

    private String readLine() throws IOException {
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
            closeQuietly(socket);
            socket = null;
        }
    }
}
