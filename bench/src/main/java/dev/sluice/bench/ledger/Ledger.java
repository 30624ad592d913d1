package dev.sluice.bench.ledger;

import java.io.IOException;
import java.io.UncheckedIOException;
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

/// A ledger being written. Used by one thread.
///
/// Flushed means handed to the operating system: the relay is what crashes here, not the machine.
public final class Ledger implements AutoCloseable {

    private final FileChannel file;
    private final StringBuilder waiting = new StringBuilder();

    private Ledger(FileChannel file) {
        this.file = file;
    }

    public static Ledger append(Path path) {
        try {
            return new Ledger(
                    FileChannel.open(path, StandardOpenOption.CREATE, StandardOpenOption.APPEND));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// Every whole line of a ledger; a line that is just being written is left out.
    public static List<Entry> read(Path path) {
        try {
            String text = Files.exists(path) ? Files.readString(path) : "";
            return text.substring(0, text.lastIndexOf('\n') + 1).lines().map(Entry::parse).toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public static String hash(byte[] body) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(body));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }

    public void add(Entry entry) {
        waiting.append(entry.line()).append('\n');
    }

    public void flush() {
        if (waiting.isEmpty()) {
            return;
        }
        try {
            var bytes = ByteBuffer.wrap(waiting.toString().getBytes(StandardCharsets.UTF_8));
            while (bytes.hasRemaining()) {
                file.write(bytes);
            }
            waiting.setLength(0);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        flush();
        try {
            file.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
