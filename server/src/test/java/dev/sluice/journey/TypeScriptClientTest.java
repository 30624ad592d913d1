package dev.sluice.journey;

import static org.assertj.core.api.Assertions.assertThat;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sluice.RunningSluice;
import dev.sluice.testkit.Nightly;
import dev.sluice.testkit.OpenApiContract;
import dev.sluice.testkit.Receiver;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.concurrent.TimeUnit;

/// A journey of a client that openapi-typescript and openapi-fetch make from the OpenAPI document:
/// create, change one field, list, read a filter, an error, preview, resend, stream.
///
/// The tools are installed below `target/` from the lock file beside the journey.
@Nightly
class TypeScriptClientTest {

    private static final Path JOURNEY = Path.of("src/test/clients/typescript");
    private static final Path WORK = Path.of("target/clients/typescript");
    private static final List<String> FILES =
            List.of("package.json", "package-lock.json", ".npmrc", "tsconfig.json", "journey.ts");
    private static final int TIMEOUT_SECONDS = 300;

    @AutoClose private final RunningSluice sluice = RunningSluice.start();
    @AutoClose private final Receiver receiver = Receiver.start();

    @Test
    void a_generated_client_compiles_and_goes_through_the_api() throws Exception {
        install();

        run(
                "node",
                "node_modules/openapi-typescript/bin/cli.js",
                OpenApiContract.OPENAPI_FILE.toAbsolutePath().toString(),
                "-o",
                "schema.d.ts");
        run("node", "node_modules/typescript/bin/tsc");
        String said =
                run(
                        "node",
                        "out/journey.js",
                        "http://127.0.0.1:" + sluice.port(),
                        RunningSluice.API_KEY,
                        receiver.url());

        assertThat(said.strip()).isEqualTo("done");
    }

    private static void install() throws Exception {
        Files.createDirectories(WORK);
        for (String file : FILES) {
            Files.copy(
                    JOURNEY.resolve(file), WORK.resolve(file), StandardCopyOption.REPLACE_EXISTING);
        }
        var lock = JOURNEY.resolve("package-lock.json");
        var done = WORK.resolve("installed.json");
        if (!Files.exists(done) || Files.mismatch(lock, done) >= 0) {
            run("npm", "ci");
            Files.copy(lock, done, StandardCopyOption.REPLACE_EXISTING);
        }
    }

    /// Runs a program in the work directory and returns what it printed.
    private static String run(String... command) throws Exception {
        var output = WORK.resolve("output.txt").toAbsolutePath();
        Process process;
        try {
            process =
                    new ProcessBuilder(command)
                            .directory(WORK.toFile())
                            .redirectErrorStream(true)
                            .redirectOutput(output.toFile())
                            .start();
        } catch (IOException e) {
            throw new IllegalStateException(
                    "Node.js 20 or newer with npm is needed: the tests run a generated client.", e);
        }
        boolean hasEnded = process.waitFor(TIMEOUT_SECONDS, TimeUnit.SECONDS);
        String said = Files.readString(output, UTF_8);
        if (!hasEnded || process.exitValue() != 0) {
            process.destroyForcibly();
            throw new AssertionError(String.join(" ", command) + " failed:\n" + said);
        }
        return said;
    }
}
