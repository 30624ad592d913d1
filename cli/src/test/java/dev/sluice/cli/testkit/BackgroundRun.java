package dev.sluice.cli.testkit;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sluice.cli.shell.JsonTree;

import org.awaitility.Awaitility;

import tools.jackson.databind.JsonNode;

import java.io.ByteArrayOutputStream;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Future;

/// A run of the command line tool that goes on while the test does.
public final class BackgroundRun {

    private static final Duration LIMIT = Duration.ofSeconds(60);

    private final ByteArrayOutputStream out;
    private final ByteArrayOutputStream err;
    private final Future<Integer> status;

    public BackgroundRun(
            ByteArrayOutputStream out, ByteArrayOutputStream err, Future<Integer> status) {
        this.out = out;
        this.err = err;
        this.status = status;
    }

    /// Waits until it prints this.
    public BackgroundRun awaitOutput(String text) {
        Awaitility.await()
                .atMost(LIMIT)
                .until(() -> {
                    if (status.isDone() && !all().contains(text)) {
                        throw new AssertionError("it ended with " + status.get() + ":\n" + all());
                    }
                    return all().contains(text);
                });
        return this;
    }

    /// Waits for its end.
    public CliRun awaitEnd() {
        Awaitility.await().atMost(LIMIT).until(status::isDone);
        return new CliRun(status.resultNow(), out.toString(UTF_8), err.toString(UTF_8));
    }

    /// Standard output so far, byte for byte.
    public byte[] output() {
        return out.toByteArray();
    }

    private String all() {
        return out.toString(UTF_8) + err.toString(UTF_8);
    }

    /// Each line of standard output so far, as JSON.
    public List<JsonNode> lines() {
        return out.toString(UTF_8).lines().map(JsonTree::read).toList();
    }
}
