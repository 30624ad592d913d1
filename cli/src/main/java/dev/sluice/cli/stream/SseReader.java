package dev.sluice.cli.stream;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.Optional;

/// Reads Server-Sent Events. The line length is limited because the server is not trusted.
final class SseReader {

    private static final int MAX_LINE_BYTES = 32 * 1024 * 1024;
    private static final int BUFFER_BYTES = 16 * 1024;

    /// @param event the message's event name; empty if it has none, as in a heartbeat
    /// @param id the last id that the server sent, with this message or an earlier one
    record SseMessage(String event, String data, String id) {}

    private final InputStream in;
    private final Runnable onBytes;
    private final byte[] buffer = new byte[BUFFER_BYTES];
    private int position;
    private int end;
    private boolean isAfterCarriageReturn;
    private String lastId = "";

    /// @param onBytes called whenever bytes arrive, and when the stream ends
    SseReader(InputStream in, Runnable onBytes) {
        this.in = in;
        this.onBytes = onBytes;
    }

    /// Waits for the next message, which may be a heartbeat without data.
    ///
    /// @return the message, or empty when the stream is over
    Optional<SseMessage> next() throws IOException {
        String event = "";
        var data = new StringBuilder();
        while (true) {
            var read = readLine();
            if (read.isEmpty()) {
                return Optional.empty(); // an unfinished message is dropped
            }
            String line = read.get();
            if (line.isEmpty()) {
                return Optional.of(new SseMessage(event, data.toString(), lastId));
            }
            int colon = line.indexOf(':');
            String field = colon < 0 ? line : line.substring(0, colon);
            String value = colon < 0 ? "" : line.substring(colon + 1);
            value = value.startsWith(" ") ? value.substring(1) : value;
            switch (field) {
                case "event" -> event = value;
                case "id" -> lastId = value;
                case "data" -> data.append(data.isEmpty() ? "" : "\n").append(value);
                default -> {
                    // Ignore comments, the retry time, and fields that only newer servers send.
                }
            }
        }
    }

    private Optional<String> readLine() throws IOException {
        var line = new ByteArrayOutputStream(256);
        while (true) {
            if (position == end && !fill()) {
                return Optional.empty();
            }
            byte next = buffer[position++];
            if (next == '\n' && isAfterCarriageReturn) {
                isAfterCarriageReturn = false;
                continue;
            }
            isAfterCarriageReturn = next == '\r';
            if (next == '\n' || next == '\r') {
                return Optional.of(line.toString(UTF_8));
            }
            line.write(next);
            if (line.size() > MAX_LINE_BYTES) {
                throw new IOException("a line of the stream is too long");
            }
        }
    }

    private boolean fill() throws IOException {
        position = 0;
        end = Math.max(0, in.read(buffer));
        onBytes.run();
        return end > 0;
    }
}
