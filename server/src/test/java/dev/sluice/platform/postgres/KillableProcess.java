package dev.sluice.platform.postgres;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;

/// A second JVM that runs an embedded PostgreSQL and can be killed before it stops the server.
record KillableProcess(Process process, long postmaster) {

    static KillableProcess start(Path directory) throws IOException {
        String java = ProcessHandle.current().info().command().orElseThrow();
        var process =
                new ProcessBuilder(
                                java,
                                "-XX:TieredStopAtLevel=1",
                                "-cp",
                                System.getProperty("java.class.path"),
                                KillableProcess.class.getName(),
                                directory.toString())
                        .redirectError(ProcessBuilder.Redirect.DISCARD)
                        .start();
        var out =
                new BufferedReader(
                        new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
        String line = "";
        while (!line.startsWith("pid=")) {
            line = out.readLine();
            if (line == null) {
                throw new IOException("the other process has ended");
            }
        }
        return new KillableProcess(process, Long.parseLong(line.substring("pid=".length())));
    }

    void kill() throws InterruptedException {
        process.destroyForcibly().waitFor();
    }

    static void main(String[] args) throws IOException {
        var postgres = EmbeddedPostgres.start(Path.of(args[0]), Map.of());
        System.out.println("pid=" + postgres.pid());
        var _ = System.in.read();
    }
}
