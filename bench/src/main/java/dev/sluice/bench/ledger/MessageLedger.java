package dev.sluice.bench.ledger;

import static dev.sluice.bench.platform.UncheckedCalls.unchecked;
import static dev.sluice.bench.platform.UncheckedCalls.uncheckedRun;

import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;

/// Reads and writes ledger files. Not thread-safe.
///
/// A flushed line has reached the operating system, but not necessarily the disk. That is enough
/// because the tests crash only the relay, not the machine.
public final class MessageLedger implements AutoCloseable {

    private final FileChannel file;
    private final StringBuilder unflushed = new StringBuilder();

    private MessageLedger(FileChannel file) {
        this.file = file;
    }

    public static MessageLedger append(Path path) {
        return unchecked(() ->
                new MessageLedger(
                        FileChannel.open(
                                path, StandardOpenOption.CREATE, StandardOpenOption.APPEND)));
    }

    /// Returns the complete lines of a ledger file, or an empty list if there is no such file.
    /// Skips the last line if it is still being written.
    public static List<MessageEntry> read(Path path) {
        return unchecked(() -> {
            String text = Files.exists(path) ? Files.readString(path) : "";
            return text.substring(0, text.lastIndexOf('\n') + 1)
                    .lines()
                    .map(MessageEntry::parse)
                    .toList();
        });
    }

    public static String hash(byte[] body) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(body));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }

    public void add(MessageEntry entry) {
        unflushed.append(entry.toLine()).append('\n');
    }

    public void flush() {
        if (unflushed.isEmpty()) {
            return;
        }
        uncheckedRun(() -> {
            var bytes = ByteBuffer.wrap(unflushed.toString().getBytes(StandardCharsets.UTF_8));
            while (bytes.hasRemaining()) {
                file.write(bytes);
            }
            unflushed.setLength(0);
        });
    }

    @Override
    public void close() {
        flush();
        uncheckedRun(() -> file.close());
    }
}
