package dev.sluice.journey;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sluice.RunningSluice;
import dev.sluice.testkit.ApiClient;
import dev.sluice.testkit.Receiver;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import tools.jackson.databind.json.JsonMapper;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

/// Runs the programs of docs/reference/receiving.md on a real delivery, and on changed ones.
class ReceivingPageTest {

    private static final Path PAGE = Path.of("../docs/reference/receiving.md");
    private static final String SECRET = "sécret";
    private static final String PREVIOUS_SECRET = "older";

    @AutoClose private static final RunningSluice sluice = RunningSluice.start();
    @AutoClose private static final Receiver receiver = Receiver.start();
    @TempDir private static Path directory;

    /// A delivery, changed or not, and whether the program must accept it.
    private record Case(
            String what, Map<String, String> headers, String bodyHex, String secret, long now) {}

    private static final List<Case> CASES = new ArrayList<>();
    private static final List<Boolean> EXPECTED = new ArrayList<>();

    @BeforeAll
    static void deliver() {
        ApiClient api = sluice.api();
        var source = api.source("signed");
        var destination =
                api.destination(
                        receiver.url(),
                        ", 'auth_config': {'type': 'hmac', 'secret': '%s', 'previous_secret': '%s'}"
                                .formatted(SECRET, PREVIOUS_SECRET));
        api.connect(source, destination);
        api.ingest(source.text("ingest_path"), "{\"text\": \"ünïcode\"}");
        await().until(() -> !receiver.requests().isEmpty());
        var request = receiver.requests().getFirst();
        var headers = new LinkedHashMap<String, String>();
        for (String line : request.headers()) {
            int colon = line.indexOf(':');
            headers.put(
                    line.substring(0, colon).toLowerCase(Locale.ROOT),
                    line.substring(colon + 1).strip());
        }
        String body = hex(request.body().getBytes(ISO_8859_1));
        long sentAt = Long.parseLong(headers.getOrDefault("x-service-timestamp", "0"));

        add(true, new Case("as sent", headers, body, SECRET, sentAt));
        add(true, new Case("the previous secret", headers, body, PREVIOUS_SECRET, sentAt));
        add(true, new Case("almost too late", headers, body, SECRET, sentAt + 299));
        add(false, new Case("too late", headers, body, SECRET, sentAt + 301));
        add(false, new Case("too early", headers, body, SECRET, sentAt - 301));
        add(false, new Case("another secret", headers, body, "other", sentAt));
        add(false, new Case("another body", headers, body + "20", SECRET, sentAt));
        String signature = headers.getOrDefault("x-service-signature", "");
        for (String wrong : List.of("", ",", "zz", signature.substring(0, 10), "é")) {
            add(
                    false,
                    new Case(
                            "the signature " + wrong,
                            with(headers, "x-service-signature", wrong),
                            body,
                            SECRET,
                            sentAt));
        }
        for (String wrong : List.of("", "1x", "-1", Long.toString(sentAt + 1))) {
            add(
                    false,
                    new Case(
                            "the time " + wrong,
                            with(headers, "x-service-timestamp", wrong),
                            body,
                            SECRET,
                            sentAt));
        }
        add(false, new Case("no headers", Map.of(), body, SECRET, sentAt));
    }

    private static void add(boolean isGenuine, Case one) {
        CASES.add(one);
        EXPECTED.add(isGenuine);
    }

    private static Map<String, String> with(
            Map<String, String> headers, String name, String value) {
        var changed = new LinkedHashMap<>(headers);
        changed.put(name, value);
        return changed;
    }

    private static String hex(byte[] bytes) {
        return java.util.HexFormat.of().formatHex(bytes);
    }

    @Test
    void javascript() throws Exception {
        var program = directory.resolve("verify.cjs");
        Files.writeString(
                program,
                code("javascript")
                        + """

                        const cases = JSON.parse(require('node:fs').readFileSync(process.argv[2], 'utf8'));
                        console.log(cases.map((one) => isGenuine(one.headers, Buffer.from(one.bodyHex, 'hex'), one.secret, one.now)).join('\\n'));
                        """,
                UTF_8);

        assertThat(run("node", program.toString(), cases())).isEqualTo(EXPECTED);
    }

    @Test
    void python() throws Exception {
        assumeTrue(isPresent("python3"), "python3 is not here: its program was not run");
        var program = directory.resolve("verify.py");
        Files.writeString(
                program,
                code("python")
                        + """

                        import json, sys
                        for one in json.load(open(sys.argv[1], encoding="utf-8")):
                            body = bytes.fromhex(one["bodyHex"])
                            print(str(is_genuine(one["headers"], body, one["secret"], one["now"])).lower())
                        """,
                UTF_8);

        assertThat(run("python3", program.toString(), cases())).isEqualTo(EXPECTED);
    }

    @Test
    void java() throws Exception {
        // One argument for each case, because the page's program needs no library.
        String code = code("java");
        int end = code.lastIndexOf('}');
        var program = directory.resolve("SluiceSignature.java");
        Files.writeString(
                program,
                code.substring(0, end)
                        + """

                            public static void main(String[] files) throws Exception {
                                for (String line : java.nio.file.Files.readAllLines(java.nio.file.Path.of(files[0]))) {
                                    String[] parts = line.split("\\t", -1);
                                    Map<String, String> headers = new java.util.HashMap<>();
                                    for (int i = 3; i + 1 < parts.length; i += 2) {
                                        headers.put(parts[i], parts[i + 1]);
                                    }
                                    System.out.println(isGenuine(headers, HexFormat.of().parseHex(parts[0]), parts[1], Long.parseLong(parts[2])));
                                }
                            }
                        }
                        """,
                UTF_8);
        var lines = new ArrayList<String>();
        for (var one : CASES) {
            var parts = new ArrayList<>(List.of(one.bodyHex(), one.secret(), "" + one.now()));
            one.headers().forEach((name, value) -> parts.addAll(List.of(name, value)));
            lines.add(String.join("\t", parts));
        }
        var input = Files.write(directory.resolve("cases.txt"), lines, UTF_8);
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();

        assertThat(run(java, "-Xshare:auto", program.toString(), input.toString()))
                .isEqualTo(EXPECTED);
    }

    private static String cases() throws IOException {
        return Files.writeString(
                        directory.resolve("cases.json"),
                        JsonMapper.shared().writeValueAsString(CASES),
                        UTF_8)
                .toString();
    }

    /// Returns the program that the page shows in this language.
    private static String code(String language) throws IOException {
        var found =
                Pattern.compile(
                                "<!-- code: " + language + " -->\n```\\w+\n(.*?)\n```",
                                Pattern.DOTALL)
                        .matcher(Files.readString(PAGE, UTF_8));
        assertThat(found.find()).isTrue();
        return found.group(1);
    }

    private static boolean isPresent(String program) {
        try {
            return new ProcessBuilder(program, "--version")
                            .redirectErrorStream(true)
                            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                            .start()
                            .waitFor()
                    == 0;
        } catch (IOException e) {
            return false;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    private static List<Boolean> run(String... command) throws Exception {
        var output = directory.resolve("output.txt");
        var process =
                new ProcessBuilder(command)
                        .redirectErrorStream(true)
                        .redirectOutput(output.toFile())
                        .start();
        boolean hasEnded = process.waitFor(60, TimeUnit.SECONDS);
        String text = Files.readString(output, UTF_8);
        if (!hasEnded || process.exitValue() != 0) {
            process.destroyForcibly();
            throw new AssertionError(String.join(" ", command) + " failed: " + text);
        }
        return text.lines().map(Boolean::parseBoolean).toList();
    }
}
