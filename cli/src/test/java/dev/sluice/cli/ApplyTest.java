package dev.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sluice.cli.testkit.CliRun;
import dev.sluice.cli.testkit.LocalService;
import dev.sluice.cli.testkit.RelayServer;
import dev.sluice.cli.testkit.ScriptedServer;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.UUID;

import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/// Tests `apply` and `export` against the real server.
class ApplyTest {

    private static final RelayServer SERVER = RelayServer.shared();

    private static final String GATEWAY =
            """
            sources:
              - name: Shop
                description: Orders
                color: "#A1B2C3"
                verification_config:
                  provider: generic_hmac
                  secret: ${env:SHOP_SECRET}
                  header: X-Signature
                  algorithm: sha256
                  encoding: hex
                response_config: {status: 202, body: '{"id":"{{request_id}}"}'}
              - name: Plain
            destinations:
              - name: App
                url: http://127.9.8.7:8099/hook
                timeout_ms: 2500
                auth_config: {type: hmac, secret: "${env:APP_SECRET}"}
                custom_headers: {X-Team: blue, X-Token: "${env:APP_TOKEN}"}
                secret_headers: [X-Token]
                retry_policy: {intervals_seconds: [1, 2]}
                rate_limit: {per_second: 5}
            connections:
              - source: Shop
                destination: App
                filter_rules:
                  operator: and
                  rules:
                    - {path: body.total, op: gt, value: 10.50}
                    - {path: headers.X-Kind, op: exists}
                transformation:
                  set_headers: [{name: X-From, value: "{{source.name}}"}]
                  merge_body_fields: {big: 12345678901234567890, tags: [a, b]}
              - {source: Plain, destination: App, enabled: false}
            """;

    private static final String OK =
            "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok";
    private static final String ID = "[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}";

    @TempDir private Path home;

    private String key = "";

    @BeforeEach
    void makeWorkspace() {
        key = SERVER.newWorkspaceKey();
    }

    @Test
    void applying_twice_changes_nothing() {
        var first = apply(GATEWAY);
        var second = apply(GATEWAY);

        assertThat(first.status()).as(first.err()).isZero();
        assertThat(first.out().lines())
                .containsExactly(
                        "+ source Shop",
                        "+ source Plain",
                        "+ destination App",
                        "+ connection Shop -> App",
                        "+ connection Plain -> App");
        assertThat(second.out()).isEmpty();
        assertThat(second.err()).contains("Nothing to change.");
    }

    @Test
    void a_source_is_made_with_a_token_of_its_own_which_stays() {
        String own = "own" + UUID.randomUUID().toString().replace("-", "");
        var cli = cli().with("OWN_TOKEN", own).with("NEXT_TOKEN", "next" + own);
        String file = "sources: [{name: Own, token: '${env:OWN_TOKEN}'}]";

        var made = apply(cli, file);
        var again = apply(cli, file);
        var changed = apply(cli, file.replace("OWN_TOKEN", "NEXT_TOKEN"));

        assertThat(made.status()).as(made.err()).isZero();
        assertThat(cli.run("sources", "get", "Own", "-o", "json").json().path("token").asString())
                .isEqualTo(own);
        assertThat(again.err()).contains("Nothing to change.");
        assertThat(changed.status()).isEqualTo(5);
        assertThat(changed.err()).contains("source Own: ", "can only be set when the source is");
        assertThat(cli.run("export").out()).doesNotContain(own).contains("--tokens");
        assertThat(cli.run("export", "--tokens").out())
                .contains("token: ", own, "Keep this file secret");
    }

    @Test
    void a_dry_run_shows_the_difference_without_secrets_and_changes_nothing() {
        apply(GATEWAY);
        String changed =
                GATEWAY.replace("timeout_ms: 2500", "timeout_ms: 4000")
                        .replace("{type: hmac,", "{type: standard_webhooks,");

        var dryRun = apply(changed, "--dry-run");

        assertThat(dryRun.status()).as(dryRun.err()).isZero();
        assertThat(dryRun.out())
                .contains("~ destination App", "timeout_ms: 2500 -> 4000", "${env:APP_SECRET}");
        assertThat(dryRun.out() + dryRun.err()).doesNotContain("app-secret");
        assertThat(apply(GATEWAY).out()).isEmpty();
    }

    @Test
    void fields_that_the_file_leaves_out_stay_and_null_restores_the_default() {
        apply(GATEWAY);
        String without =
                GATEWAY.replace("    description: Orders\n", "")
                        .replace("timeout_ms: 2500", "timeout_ms: null");

        assertThat(apply(without).out().lines()).hasSize(2).first().isEqualTo("~ destination App");
        assertThat(apply(without).out()).isEmpty();
        assertThat(cli().run("sources", "get", "Shop").out()).contains("Orders");
        assertThat(
                        cli().run("destinations", "get", "App", "-o", "json")
                                .json()
                                .path("timeout_ms")
                                .asInt())
                .isEqualTo(10_000);
    }

    @Test
    void secrets_are_sent_again_only_when_asked() {
        apply(GATEWAY);

        var again = apply(GATEWAY, "--update-secrets", "-o", "json").json();

        assertThat(again.path("applied").booleanValue()).isTrue();
        assertThat(again.path("changes")).hasSize(2);
        assertThat(again.path("changes").toString()).doesNotContain("secret-value");
    }

    /// The server keeps no secret for another host.
    @Test
    void a_destination_that_moves_gets_its_secrets_again() {
        apply(GATEWAY);

        var moved = apply(GATEWAY.replace("http://127.9.8.7:8099", "http://127.9.8.6:8099"));

        assertThat(moved.status()).as(moved.err()).isZero();
        assertThat(apply(GATEWAY.replace("127.9.8.7:8099", "127.9.8.6:8099")).err())
                .contains("Nothing to change.");
    }

    @Test
    void prune_deletes_what_the_file_does_not_have() {
        apply(GATEWAY);
        String less =
                GATEWAY.replace("  - name: Plain\n", "")
                        .replace("  - {source: Plain, destination: App, enabled: false}\n", "");

        assertThat(apply(less).out()).isEmpty();
        assertThat(apply(less, "--prune").out().lines())
                .containsExactly("- connection Plain -> App", "- source Plain");
        assertThat(apply(less, "--prune").out()).isEmpty();
    }

    @Test
    void an_export_makes_the_same_relay_on_an_empty_server() {
        try (var receiver = new ScriptedServer()) {
            receiver.answer(200, Map.of(), "").answer(200, Map.of(), "");
            String file =
                    GATEWAY.replace("http://127.9.8.7:8099", receiver.url())
                            .replaceAll(
                                    "(?s)    verification_config:.*?(    response_config)", "$1");
            apply(file);
            var exported = cli().run("export");
            assertThat(exported.status()).as(exported.err()).isZero();
            assertThat(exported.out())
                    .contains("${env:DESTINATION_APP_SECRET}", "12345678901234567890");
            send();

            key = SERVER.newWorkspaceKey();
            var applied = apply(exported.out());
            send();

            assertThat(applied.status()).as(applied.err()).isZero();
            assertThat(cli().run("export").out()).isEqualTo(exported.out());
            Awaitility.await()
                    .atMost(Duration.ofSeconds(20))
                    .until(() -> receiver.requests().size() == 2);
            assertThat(receiver.requests().get(0))
                    .startsWith("POST /hook")
                    .isEqualTo(receiver.requests().get(1));
        }
    }

    /// Sends an event that the filter lets through, and one that it does not.
    private void send() {
        String path =
                cli().run("sources", "get", "Shop", "-o", "json")
                        .json()
                        .path("ingest_path")
                        .asString();
        SERVER.ingest(path, "{\"total\": 10}".getBytes(UTF_8), "X-Kind", "a");
        SERVER.ingest(path, "{\"total\": 11}".getBytes(UTF_8), "X-Kind", "a");
    }

    /// The other server has another database, other ids and another master key.
    @Test
    void an_export_makes_the_same_relay_on_another_server() throws Exception {
        try (var receiver = new LocalService(OK);
                var another = RelayServer.startAnother()) {
            apply(GATEWAY.replace("http://127.9.8.7:8099", "http://127.0.0.1:" + receiver.port()));
            var exported = cli().run("export", "--tokens");
            assertThat(exported.status()).as(exported.err()).isZero();
            String path =
                    cli().run("sources", "get", "Shop", "-o", "json")
                            .json()
                            .path("ingest_path")
                            .asString();
            var expected = relayed(SERVER, path, receiver);

            var there = cli(another, another.newWorkspaceKey());
            var applied = apply(there, exported.out());

            assertThat(applied.status()).as(applied.err()).isZero();
            assertThat(there.run("export", "--tokens").out()).isEqualTo(exported.out());
            assertThat(relayed(another, path, receiver)).isEqualTo(expected);
            assertThat(expected.answers())
                    .containsExactly(
                            "202 {\"id\":\"ID\"}",
                            "202 {\"id\":\"ID\"}",
                            "401",
                            "202 {\"id\":\"ID\"}",
                            "202 {\"id\":\"ID\"}");
            assertThat(expected.requests()).hasSize(2);
        }
    }

    /// What a server did with some webhooks: its answers, and what the destination got. What must
    /// differ, such as ids and times, is replaced by a word.
    private record Relayed(List<String> answers, List<String> requests) {}

    /// Sends webhooks of which the verification refuses one, and the filter lets through two.
    private static Relayed relayed(RelayServer server, String path, LocalService receiver)
            throws GeneralSecurityException {
        var answers = new ArrayList<String>();
        int before = receiver.requests().size();
        for (var webhook :
                List.of(
                        new String[] {"{\"total\": 10.50}", "X-Kind", "too little"},
                        new String[] {"{\"total\": 11}", "X-Other", "no kind"},
                        new String[] {"{\"total\": 12}", "X-Signature", "00"},
                        new String[] {"{\"total\": 10.51, \"s\": \"\u00fc\"}", "X-Kind", "a"},
                        new String[] {"{\"total\":98765432109876543210.1}", "X-Kind", "b"})) {
            byte[] body = webhook[0].getBytes(UTF_8);
            var headers = new ArrayList<>(List.of(webhook[1], webhook[2]));
            headers.addAll(List.of("Content-Type", "application/json"));
            if (!headers.contains("X-Signature")) {
                headers.addAll(List.of("X-Signature", hmac("shop-secret-value", webhook[0])));
            }
            var answer = server.send(path, body, headers.toArray(String[]::new));
            answers.add(
                    answer.statusCode() == 401
                            ? "401"
                            : answer.statusCode()
                                    + " "
                                    + new String(answer.body(), UTF_8).replaceAll(ID, "ID"));
        }
        Awaitility.await()
                .atMost(Duration.ofSeconds(20))
                .until(() -> receiver.requests().size() == before + 2);
        var requests = receiver.requests().subList(before, before + 2);
        for (var request : requests) {
            assertSigned(request);
        }
        return new Relayed(
                answers,
                requests.stream()
                        .map(request ->
                                (request.head() + request.body())
                                        .replaceAll(ID, "ID")
                                        .replaceAll("(X-Service-Signature: ).*", "$1SIGNATURE")
                                        .replaceAll("(X-Service-Timestamp: ).*", "$1TIME"))
                        .sorted()
                        .toList());
    }

    private static void assertSigned(LocalService.RawRequest request)
            throws GeneralSecurityException {
        String time = request.values("X-Service-Timestamp").getFirst();
        String body = new String(request.body().getBytes(ISO_8859_1), UTF_8);
        assertThat(request.values("X-Service-Signature"))
                .containsExactly(hmac("app-secret-value", time + "." + body));
    }

    private static String hmac(String secret, String text) throws GeneralSecurityException {
        var mac = Mac.getInstance("HmacSHA256");
        mac.init(new SecretKeySpec(secret.getBytes(UTF_8), "HmacSHA256"));
        return HexFormat.of().formatHex(mac.doFinal(text.getBytes(UTF_8)));
    }

    @Test
    void every_kind_of_verification_and_authentication_is_applied_once() {
        String file =
                """
                sources:
                  - {name: A, verification_config: {provider: provider_payments, secret: "${env:S}"}}
                  - {name: B, verification_config: {provider: provider_code_host, secret: "${env:S}"}}
                  - {name: C, verification_config: {provider: basic_auth, username: u, password: "${env:S}"}}
                  - {name: D, verification_config: {provider: api_key, header: X-Key, key: "${env:S}"}}
                  - {name: G, verification_config: null, response_config: null}
                destinations:
                  - {name: A, url: "https://example.com", auth_config: {type: api_key, header: X-Key, key: "${env:S}"}}
                  - {name: B, url: "https://example.com/", auth_config: {type: basic_auth, username: u, password: "${env:S}"}}
                  - {name: C, url: "https://EXAMPLE.com/a", auth_config: null, retry_policy: null, custom_headers: null}
                """;

        var first = apply(file);

        assertThat(first.status()).as(first.err()).isZero();
        assertThat(apply(file).out()).isEmpty();
    }

    @Test
    void all_mistakes_of_a_file_are_reported_before_anything_changes() {
        var run =
                apply(
                        """
                        sources:
                          - {name: Shop, verification_config: {provider: slack, secret: plain}}
                          - {name: Shop}
                          - {nmae: X}
                        destinations:
                          - {name: App, url: "https://example.com", auth_config: {type: hmac, secret: "${env:NOT_SET}"}}
                        connections:
                          - {source: Nobody, destination: App}
                        extras: []
                        """);

        assertThat(run.status()).isEqualTo(5);
        assertThat(run.err().lines()).hasSize(1);
        assertThat(run.err())
                .contains(
                        "sources[0].verification_config.secret must not be in the file",
                        "sources[1] repeats the source 'Shop'",
                        "sources[2].nmae is no field",
                        "sources[2].name is required",
                        "connections[0].source names 'Nobody'",
                        "extras is no field",
                        "NOT_SET")
                .doesNotContain("plain");
        assertThat(cli().run("sources", "list", "-o", "quiet").out()).isEmpty();
    }

    @Test
    void references_outside_of_secrets_are_refused_with_their_place() {
        var run =
                apply(
                        """
                        sources:
                          - {name: "${env:S}", description: "see ${env:S}"}
                        destinations:
                          - name: App
                            url: "https://example.com/${env:S}"
                            auth_config: {type: basic_auth, username: "${env:S}", password: "${env:S}"}
                            custom_headers: {X-Plain: "a ${env:S}", X-Secret: "${env:not a name}"}
                            secret_headers: [x-secret]
                        connections:
                          - source: "${env:S}"
                            destination: App
                            transformation: {merge_body_fields: {tags: [a, "${env:S}"]}}
                        """);

        assertThat(run.status()).isEqualTo(5);
        assertThat(run.err())
                .contains(
                        "sources[0].name is no secret",
                        "sources[0].description is no secret",
                        "destinations[0].url is no secret",
                        "destinations[0].auth_config.username is no secret",
                        "destinations[0].custom_headers.X-Plain is no secret",
                        "destinations[0].custom_headers.X-Secret must not be in the file",
                        "connections[0].transformation.merge_body_fields.tags[1] is no secret")
                .doesNotContain("some-secret-value", "password is no");
        assertThat(cli().run("sources", "list", "-o", "quiet").out()).isEmpty();
    }

    @Test
    void reference_is_filled_in_as_a_part_of_a_secret_header() {
        try (var receiver = new LocalService(OK)) {
            var applied =
                    apply(
                            GATEWAY.replace(
                                            "http://127.9.8.7:8099",
                                            "http://127.0.0.1:" + receiver.port())
                                    .replace("${env:APP_TOKEN}", "Bearer ${env:APP_TOKEN}")
                                    .replaceAll(
                                            "(?s)    verification_config:.*?(    response_config)",
                                            "$1"));
            assertThat(applied.status()).as(applied.err()).isZero();
            send();

            Awaitility.await()
                    .atMost(Duration.ofSeconds(20))
                    .until(() -> receiver.requests().size() == 1);
            assertThat(receiver.requests().getFirst().values("X-Token"))
                    .containsExactly("Bearer token-secret-value");
        }
    }

    @Test
    void texts_that_look_like_references_are_exported_and_applied_as_they_are() {
        cli().run("sources", "create", "name=${env:S}", "description=a $${env:S} ${env:");
        cli().run("destinations", "create", "name=App", "url=https://example.com/${env:S}");
        cli().run("connections", "create", "source=${env:S}", "destination=App");
        var exported = cli().run("export");

        var again = apply(exported.out());

        assertThat(again.status()).as(again.err()).isZero();
        assertThat(again.err()).contains("Nothing to change.");
        key = SERVER.newWorkspaceKey();
        assertThat(apply(exported.out()).status()).isZero();
        assertThat(cli().run("export").out()).isEqualTo(exported.out());
        assertThat(
                        cli().run("sources", "get", "${env:S}", "-o", "json")
                                .json()
                                .path("description")
                                .asString())
                .isEqualTo("a $${env:S} ${env:");
    }

    @Test
    void what_the_server_refuses_names_the_thing() {
        var run = apply("destinations: [{name: App, url: 'http://10.0.0.1/'}]");

        assertThat(run.status()).isEqualTo(5);
        assertThat(run.err()).contains("destination App: ", "private");
    }

    @Test
    void a_file_that_is_not_yaml_is_refused_with_its_line() {
        assertThat(apply("sources: [\n  {name: 'x").err()).contains("not YAML at line");
        assertThat(apply("sources: []\nsources: []").status()).isEqualTo(5);
        assertThat(apply("").status()).isEqualTo(5);
        assertThat(cli().run("apply", "-f", "nowhere.yaml").status()).isEqualTo(2);
        assertThat(cli().run("apply").status()).isEqualTo(2);
    }

    @Test
    void a_name_that_the_server_has_twice_is_refused() {
        cli().run("sources", "create", "name=Twin");
        cli().run("sources", "create", "name=Twin");

        assertThat(apply("sources: [{name: Twin}]").err()).contains("2 sources named 'Twin'");
        assertThat(cli().run("export").status()).isEqualTo(5);
    }

    private CliRun apply(String yaml, String... options) {
        return apply(cli(), yaml, options);
    }

    private CliRun apply(CliRunner cli, String yaml, String... options) {
        try {
            Files.writeString(home.resolve("gateway.yaml"), yaml);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        var args = new ArrayList<>(List.of("apply", "-f", home.resolve("gateway.yaml").toString()));
        args.addAll(List.of(options));
        return cli.run(args.toArray(String[]::new));
    }

    private CliRunner cli() {
        return cli(SERVER, key);
    }

    private CliRunner cli(RelayServer server, String apiKey) {
        return new CliRunner(home)
                .with("SLUICE_SERVER", server.url())
                .with("SLUICE_API_KEY", apiKey)
                .with("SOURCE_SHOP_SECRET", "shop-secret-value")
                .with("S", "some-secret-value")
                .with("SHOP_SECRET", "shop-secret-value")
                .with("APP_SECRET", "app-secret-value")
                .with("APP_TOKEN", "token-secret-value")
                .with("DESTINATION_APP_SECRET", "app-secret-value")
                .with("DESTINATION_APP_X_TOKEN", "token-secret-value");
    }
}
