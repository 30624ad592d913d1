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
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import tools.jackson.databind.json.JsonMapper;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

/// Runs the programs of docs/reference/receiving.md on a real delivery, and on changed ones.
class ReceivingPageTest {

    private static final Path PAGE = Path.of("../docs/reference/receiving.md");

    @AutoClose private static final RunningSluice sluice = RunningSluice.start();
    @AutoClose private static final Receiver receiver = Receiver.start();
    @TempDir private static Path directory;

    /// A delivery, changed or not, and whether the program must accept it.
    private record Case(
            String what,
            Map<String, String> headers,
            String bodyHex,
            String secret,
            long now,
            boolean isGenuine) {}

    /// A way to sign: the names of its headers, and two secrets that are valid at once.
    enum Scheme {
        HMAC("", "x-service-timestamp", "x-service-signature", "sécret", "older"),
        STANDARD_WEBHOOKS(
                " standard_webhooks",
                "webhook-timestamp",
                "webhook-signature",
                "whsec_c2VjcmV0IG9mIHRoZSB0ZXN0IQ==",
                "b2xkZXIgc2VjcmV0IG9mIHRoZSB0ZXN0");

        private final String codeSuffix;
        private final String timestamp;
        private final String signature;
        private final String secret;
        private final String previousSecret;

        Scheme(
                String codeSuffix,
                String timestamp,
                String signature,
                String secret,
                String previousSecret) {
            this.codeSuffix = codeSuffix;
            this.timestamp = timestamp;
            this.signature = signature;
            this.secret = secret;
            this.previousSecret = previousSecret;
        }

        String type() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    private static final Map<Scheme, List<Case>> CASES = new EnumMap<>(Scheme.class);

    @BeforeAll
    static void deliver() {
        for (var scheme : Scheme.values()) {
            CASES.put(scheme, cases(scheme));
        }
    }

    private static List<Case> cases(Scheme scheme) {
        var request = deliver(scheme);
        var headers = new LinkedHashMap<String, String>();
        for (String line : request.headers()) {
            int colon = line.indexOf(':');
            headers.put(
                    line.substring(0, colon).toLowerCase(Locale.ROOT),
                    line.substring(colon + 1).strip());
        }
        String body = hex(request.body().getBytes(ISO_8859_1));
        String secret = scheme.secret;
        long sentAt = Long.parseLong(headers.getOrDefault(scheme.timestamp, "0"));
        var cases = new ArrayList<Case>();
        cases.add(new Case("as sent", headers, body, secret, sentAt, true));
        cases.add(
                new Case(
                        "the previous secret", headers, body, scheme.previousSecret, sentAt, true));
        cases.add(new Case("almost too late", headers, body, secret, sentAt + 299, true));
        cases.add(new Case("too late", headers, body, secret, sentAt + 301, false));
        cases.add(new Case("too early", headers, body, secret, sentAt - 301, false));
        cases.add(new Case("another secret", headers, body, "b3RoZXIh", sentAt, false));
        cases.add(new Case("another body", headers, body + "20", secret, sentAt, false));
        String signature = headers.getOrDefault(scheme.signature, "");
        for (String wrong :
                List.of("", ",", " ", "zz", "v1,", "v1,zz", signature.substring(0, 10), "é")) {
            cases.add(
                    new Case(
                            "the signature " + wrong,
                            with(headers, scheme.signature, wrong),
                            body,
                            secret,
                            sentAt,
                            false));
        }
        String longer = "9".repeat(5_000);
        for (String wrong :
                List.of("", "1x", "-1", "١٢", sentAt + " ", Long.toString(sentAt + 1), longer)) {
            cases.add(
                    new Case(
                            "the time " + wrong,
                            with(headers, scheme.timestamp, wrong),
                            body,
                            secret,
                            sentAt,
                            false));
        }
        if (headers.containsKey("webhook-id")) {
            var changed = with(headers, "webhook-id", "another");
            cases.add(new Case("another id", changed, body, secret, sentAt, false));
        }
        cases.add(new Case("no headers", Map.of(), body, secret, sentAt, false));
        return cases;
    }

    private static Receiver.ReceivedRequest deliver(Scheme scheme) {
        int before = receiver.requests().size();
        ApiClient api = sluice.api();
        var source = api.source(scheme.type());
        var destination =
                api.destination(
                        receiver.url(),
                        ", 'auth_config': {'type': '%s', 'secret': '%s', 'previous_secret': '%s'}"
                                .formatted(scheme.type(), scheme.secret, scheme.previousSecret));
        api.connect(source, destination);
        api.ingest(source.text("ingest_path"), "{\"text\": \"ünïcode\"}");
        await().until(() -> receiver.requests().size() > before);
        return receiver.requests().get(before);
    }

    private static List<String> expected(Scheme scheme) {
        return CASES.getOrDefault(scheme, List.of()).stream()
                .map(one -> one.what() + ": " + one.isGenuine())
                .toList();
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

    @ParameterizedTest
    @EnumSource
    void javascript(Scheme scheme) throws Exception {
        var program = directory.resolve(scheme.type() + ".cjs");
        String code = code("javascript" + scheme.codeSuffix);
        Files.writeString(
                program,
                code
                        + """

                        const cases = JSON.parse(require('node:fs').readFileSync(process.argv[2], 'utf8'));
                        console.log(cases.map((one) => NAME(one.headers, Buffer.from(one.bodyHex, 'hex'), one.secret, one.now)).join('\\n'));
                        """
                                .replace("NAME", name("function (\\w+)", code)),
                UTF_8);

        assertThat(run(scheme, "node", program.toString(), jsonCases(scheme)))
                .isEqualTo(expected(scheme));
    }

    @ParameterizedTest
    @EnumSource
    void python(Scheme scheme) throws Exception {
        assumeTrue(isPresent("python3"), "python3 is not here: its program was not run");
        var program = directory.resolve("verify_" + scheme.type() + ".py");
        String code = code("python" + scheme.codeSuffix);
        Files.writeString(
                program,
                code
                        + """

                        import json, sys
                        for one in json.load(open(sys.argv[1], encoding="utf-8")):
                            body = bytes.fromhex(one["bodyHex"])
                            print(str(NAME(one["headers"], body, one["secret"], one["now"])).lower())
                        """
                                .replace("NAME", name("def (\\w+)", code)),
                UTF_8);

        assertThat(run(scheme, "python3", program.toString(), jsonCases(scheme)))
                .isEqualTo(expected(scheme));
    }

    @ParameterizedTest
    @EnumSource
    void java(Scheme scheme) throws Exception {
        // One line for each case, because the page's program needs no library.
        String code = code("java" + scheme.codeSuffix);
        int end = code.lastIndexOf('}');
        var program = directory.resolve(name("class (\\w+)", code) + ".java");
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
                                    byte[] body = java.util.HexFormat.of().parseHex(parts[0]);
                                    System.out.println(isGenuine(headers, body, parts[1], Long.parseLong(parts[2])));
                                }
                            }
                        }
                        """,
                UTF_8);
        var lines = new ArrayList<String>();
        for (var one : CASES.getOrDefault(scheme, List.of())) {
            var parts = new ArrayList<>(List.of(one.bodyHex(), one.secret(), "" + one.now()));
            one.headers().forEach((name, value) -> parts.addAll(List.of(name, value)));
            lines.add(String.join("\t", parts));
        }
        var input = Files.write(directory.resolve("cases.txt"), lines, UTF_8);
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();

        assertThat(run(scheme, java, "-Xshare:auto", program.toString(), input.toString()))
                .isEqualTo(expected(scheme));
    }

    private static String jsonCases(Scheme scheme) throws IOException {
        return Files.writeString(
                        directory.resolve(scheme.type() + ".json"),
                        JsonMapper.shared()
                                .writeValueAsString(CASES.getOrDefault(scheme, List.of())),
                        UTF_8)
                .toString();
    }

    /// Returns what the pattern's group finds first in the code.
    private static String name(String pattern, String code) {
        var found = Pattern.compile(pattern).matcher(code);
        assertThat(found.find()).isTrue();
        return found.group(1);
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

    private static List<String> run(Scheme scheme, String... command) throws Exception {
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
        var verdicts = text.lines().toList();
        var cases = CASES.getOrDefault(scheme, List.of());
        assertThat(verdicts).hasSameSizeAs(cases);
        var named = new ArrayList<String>();
        for (int i = 0; i < cases.size(); i++) {
            named.add(cases.get(i).what() + ": " + verdicts.get(i));
        }
        return named;
    }
}
