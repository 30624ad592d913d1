package dev.sluice.platform.postgres;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/// What a short program came to.
record Run(int exit, String output) {

    /// `initdb` waits for the disk; everything else takes milliseconds.
    private static final long LONGEST_MINUTES = 5;

    boolean succeeded() {
        return exit == 0;
    }

    static Run of(List<String> command, Path directory) throws InterruptedException {
        return of(command, directory, "");
    }

    /// A program that can't be found has failed, like any other.
    static Run of(List<String> command, Path directory, String input) throws InterruptedException {
        try {
            var process = prepare(command, directory).redirectErrorStream(true).start();
            return finish(process, input);
        } catch (IOException e) {
            return new Run(127, String.valueOf(e.getMessage()));
        }
    }

    /// A command that inherits nothing: our environment may hold secrets, and locale or `PG…`
    /// settings that mean something to PostgreSQL.
    static ProcessBuilder prepare(List<String> command, Path directory) {
        var builder = new ProcessBuilder(command).directory(directory.toFile());
        Map<String, String> environment = builder.environment();
        String path = environment.getOrDefault("PATH", "/usr/bin:/bin");
        environment.clear();
        environment.put("PATH", path + ":/usr/sbin:/sbin");
        environment.put("LC_ALL", "C");
        return builder;
    }

    /// Reads after the end and not before: what these programs say fits into the pipe.
    private static Run finish(Process process, String input)
            throws IOException, InterruptedException {
        try (var in = process.getOutputStream()) {
            in.write(input.getBytes(UTF_8));
        }
        try {
            if (!process.waitFor(LONGEST_MINUTES, TimeUnit.MINUTES)) {
                return new Run(124, "did not end within " + LONGEST_MINUTES + " minutes");
            }
            return new Run(
                    process.exitValue(),
                    new String(process.getInputStream().readAllBytes(), UTF_8).strip());
        } finally {
            process.destroyForcibly();
        }
    }
}
