package dev.sluice;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.platform.config.Settings;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

class ConfigTest {

    private static final String MASTER_KEY = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";

    private static List<String> complaints(Map<String, String> values) {
        var settings = new Settings(values);
        var _ = Config.read(settings);
        return settings.errors();
    }

    @Test
    void nothing_need_be_set() {
        var settings = new Settings(Map.of());
        var config = Config.read(settings);

        assertThat(settings.errors()).isEmpty();
        assertThat(config.server().host()).isEqualTo("127.0.0.1");
        assertThat(config.server().port()).isEqualTo(8080);
        assertThat(config.server().baseUrl()).isEqualTo("http://localhost:8080");
        assertThat(config.storage().dataDir()).isEqualTo(Path.of("data"));
        assertThat(config.storage().database()).isEmpty();
        assertThat(config.storage().masterKey()).isEmpty();
        assertThat(config.account().initialSetup().email()).isEqualTo("admin@localhost");
        assertThat(config.account().initialSetup().plan()).isEqualTo("business");
        assertThat(config.delivery().headerPrefix()).isEqualTo("X-Service");
        assertThat(config.log()).isEqualTo(new Config.LogSettings("text", "info"));
        assertThat(config.metrics()).isEmpty();
        assertThat(config.delivery().retryJitter()).isEqualTo(0.2);
        assertThat(config.server().stopDelay()).isZero();
    }

    /// Tests that every documented setting is read, so that none is rejected as unknown.
    @Test
    void every_setting_is_asked_for() {
        var settings = new Settings(Map.of());
        var _ = Config.read(settings);

        assertThat(settings.readNames())
                .containsExactly(
                        "OTEL_EXPORTER_OTLP_ENDPOINT",
                        "OTEL_EXPORTER_OTLP_PROTOCOL",
                        "SLUICE_ADMIN_API_KEY",
                        "SLUICE_ADMIN_EMAIL",
                        "SLUICE_ADMIN_PASSWORD",
                        "SLUICE_ALERT_MAIL_DOMAINS",
                        "SLUICE_ALLOW_PRIVATE_DESTINATIONS",
                        "SLUICE_BASE_URL",
                        "SLUICE_CIRCUIT_COOLDOWN",
                        "SLUICE_CIRCUIT_MAX_COOLDOWN",
                        "SLUICE_DATABASE_URL",
                        "SLUICE_DATA_DIR",
                        "SLUICE_HEADER_PREFIX",
                        "SLUICE_HOST",
                        "SLUICE_LOG_FORMAT",
                        "SLUICE_LOG_LEVEL",
                        "SLUICE_MAIL_FROM",
                        "SLUICE_MASTER_KEY",
                        "SLUICE_MESSENGER_API_URL",
                        "SLUICE_METRICS_HOST",
                        "SLUICE_METRICS_PORT",
                        "SLUICE_PAYLOAD_COMPRESSION",
                        "SLUICE_PLANS_FILE",
                        "SLUICE_PLAN_CHANGE",
                        "SLUICE_PORT",
                        "SLUICE_REGISTRATION",
                        "SLUICE_RETRY_JITTER",
                        "SLUICE_SMTP_URL",
                        "SLUICE_STOP_DELAY",
                        "SLUICE_TRUSTED_PROXIES",
                        "SLUICE_WORKSPACE_PLAN");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    SLUICE_HOST                       | 0.0.0.0
                    SLUICE_PORT                       | 0
                    SLUICE_PORT                       | 65535
                    SLUICE_BASE_URL                   | https://hooks.example.com/
                    SLUICE_BASE_URL                   | http://10.0.0.1:8080/sluice
                    SLUICE_DATA_DIR                   | /var/lib/sluice
                    SLUICE_ADMIN_EMAIL                | ann@example.com
                    SLUICE_ADMIN_PASSWORD             | 12345678
                    SLUICE_ADMIN_API_KEY              | slk_test-0123456789.0123456789~+/
                    SLUICE_WORKSPACE_PLAN             | free
                    SLUICE_REGISTRATION               | open
                    SLUICE_ALLOW_PRIVATE_DESTINATIONS | 10.0.0.0/8, 127.0.0.1, fd00::/8
                    SLUICE_MASTER_KEY                 | AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=
                    SLUICE_MAIL_FROM                  | relay@example.com
                    SLUICE_MESSENGER_API_URL          | http://127.0.0.1:9999
                    SLUICE_METRICS_PORT               | 9090
                    SLUICE_METRICS_HOST               | 0.0.0.0
                    SLUICE_PAYLOAD_COMPRESSION        | on
                    SLUICE_TRUSTED_PROXIES            | 10.0.0.0/8
                    SLUICE_HEADER_PREFIX              | X-Acme
                    SLUICE_LOG_FORMAT                 | json
                    SLUICE_LOG_LEVEL                  | debug
                    SLUICE_RETRY_JITTER               | 0
                    SLUICE_CIRCUIT_COOLDOWN           | 30s
                    SLUICE_CIRCUIT_MAX_COOLDOWN       | 1h
                    """)
    void a_good_value_is_taken(String name, String value) {
        assertThat(complaints(Map.of(name, value))).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            textBlock =
                    """
                    SLUICE_PORT | 65536 | must be a whole number from 0 to 65535, not '65536'
                    SLUICE_PORT | http  | must be a whole number from 0 to 65535, not 'http'
                    SLUICE_BASE_URL | hooks.example.com | must be an absolute URL that starts with http:// or https://
                    SLUICE_BASE_URL | ftp://x.example   | must be an absolute URL that starts with http:// or https://
                    SLUICE_BASE_URL | https:///x        | must be an absolute URL that starts with http:// or https://
                    SLUICE_DATABASE_URL | mysql://a:b@c/d | must be postgresql://user:password@host:port/database
                    SLUICE_ADMIN_EMAIL | ann | must be an e-mail address, not 'ann'
                    SLUICE_ADMIN_PASSWORD | 1234567 | must have 8 to 200 characters
                    SLUICE_ADMIN_PASSWORD | ㅤㅤㅤㅤㅤㅤㅤㅤ | must have at least one visible character
                    SLUICE_ADMIN_API_KEY | short | must have 32 or more characters, only A-Z a-z 0-9 - . _ ~ + /
                    SLUICE_ADMIN_API_KEY | 0123456789 0123456789 0123456789 | must have 32 or more characters, only A-Z a-z 0-9 - . _ ~ + /
                    SLUICE_WORKSPACE_PLAN | gold | must be one of free, team, business, not 'gold'
                    SLUICE_REGISTRATION | yes | must be one of open, closed, not 'yes'
                    SLUICE_ALLOW_PRIVATE_DESTINATIONS | 10.0.0.0/33 | '10.0.0.0/33' is not an address range such as 10.0.0.0/8 or fd00::/8
                    SLUICE_ALLOW_PRIVATE_DESTINATIONS | localhost | 'localhost' is not an address range such as 10.0.0.0/8 or fd00::/8
                    SLUICE_ALLOW_PRIVATE_DESTINATIONS | 10.0.0.0/8, | '' is not an address range such as 10.0.0.0/8 or fd00::/8
                    SLUICE_PLANS_FILE | /no/such/file | names a file that cannot be read
                    SLUICE_MASTER_KEY | AAECAwQ= | must be base64 of exactly 32 bytes
                    SLUICE_MASTER_KEY | not base64! | must be base64 of exactly 32 bytes
                    SLUICE_SMTP_URL | mail.example | must be such as smtps://user:password@mail.example.com:465 or smtp://127.0.0.1:25, with special characters of the user and the password percent-encoded
                    SLUICE_MAIL_FROM | relay | must be an e-mail address, not 'relay'
                    SLUICE_MESSENGER_API_URL | x | must be an absolute URL that starts with http:// or https://
                    SLUICE_METRICS_PORT | -1 | must be a whole number from 0 to 65535, not '-1'
                    SLUICE_TRUSTED_PROXIES | all | 'all' is not an address range such as 10.0.0.0/8 or fd00::/8
                    SLUICE_HEADER_PREFIX | X Service | must be the beginning of a header name, such as X-Service, not 'X Service'
                    SLUICE_HEADER_PREFIX | X-Service- | must be the beginning of a header name, such as X-Service, not 'X-Service-'
                    SLUICE_LOG_FORMAT | xml | must be one of text, json, not 'xml'
                    SLUICE_LOG_LEVEL | all | must be one of error, warn, info, debug, not 'all'
                    SLUICE_RETRY_JITTER | 2 | must be a number from 0 to 1, not '2'
                    SLUICE_CIRCUIT_COOLDOWN | 60 | must be a duration such as 60s, 10m or PT30S, not '60'
                    SLUICE_CIRCUIT_MAX_COOLDOWN | 0s | must be a duration such as 60s, 10m or PT30S, not '0s'
                    """)
    void a_wrong_value_is_named_with_what_it_should_be(String name, String value, String rule) {
        assertThat(complaints(Map.of(name, value))).containsExactly(name + " " + rule);
    }

    @Test
    void all_mistakes_are_reported_together() {
        assertThat(
                        complaints(
                                Map.of(
                                        "SLUICE_PORT",
                                        "x",
                                        "SLUICE_LOG_FORMAT",
                                        "x",
                                        "SLUICE_PROT",
                                        "x")))
                .hasSize(3)
                .contains("SLUICE_PROT is not a setting; did you mean SLUICE_PORT?");
    }

    @Test
    void no_complaint_shows_a_secret() {
        var values = new HashMap<String, String>();
        values.put("SLUICE_DATABASE_URL", "postgresql://ann:hunter2@db.example");
        values.put("SLUICE_MASTER_KEY", "hunter2");
        values.put("SLUICE_ADMIN_PASSWORD", "hunter2");
        values.put("SLUICE_ADMIN_API_KEY", "hunter2");
        values.put("SLUICE_SMTP_URL", "http://ann:hunter2@mail.example");
        values.put("SLUICE_BASE_URL", "ftp://ann:hunter2@x.example");
        values.put("SLUICE_MESSENGER_API_URL", "ftp://ann:hunter2@x.example");
        values.put("SLUICE_API_KEYS", "hunter2");

        assertThat(complaints(values)).hasSize(8).noneMatch(text -> text.contains("hunter2"));
    }

    @Test
    void an_external_database_needs_a_master_key_of_its_own() {
        String url = "postgresql://ann:pw@db.example/relay";

        assertThat(complaints(Map.of("SLUICE_DATABASE_URL", url)))
                .singleElement()
                .asString()
                .startsWith("SLUICE_MASTER_KEY is required with SLUICE_DATABASE_URL");
        assertThat(complaints(Map.of("SLUICE_DATABASE_URL", url, "SLUICE_MASTER_KEY", MASTER_KEY)))
                .isEmpty();
    }

    @Test
    void a_mail_server_needs_a_sender() {
        String url = "smtps://user:pass@mail.example:465";

        assertThat(complaints(Map.of("SLUICE_SMTP_URL", url)))
                .containsExactly(
                        "SLUICE_MAIL_FROM is required with SLUICE_SMTP_URL: the address that mails"
                                + " come from");
        assertThat(complaints(Map.of("SLUICE_SMTP_URL", url, "SLUICE_MAIL_FROM", "relay")))
                .containsExactly("SLUICE_MAIL_FROM must be an e-mail address, not 'relay'");
        assertThat(complaints(Map.of("SLUICE_SMTP_URL", url, "SLUICE_MAIL_FROM", "a@b.example")))
                .isEmpty();
    }

    @Test
    void the_public_address_follows_the_port_and_has_no_slash_at_its_end() {
        assertThat(Config.read(new Settings(Map.of("SLUICE_PORT", "9000"))).server().baseUrl())
                .isEqualTo("http://localhost:9000");
        assertThat(
                        Config.read(new Settings(Map.of("SLUICE_BASE_URL", "https://h.example/")))
                                .server()
                                .baseUrl())
                .isEqualTo("https://h.example");
    }

    @Test
    void allowed_ranges_open_private_destinations() throws IOException {
        var config =
                Config.read(
                        new Settings(Map.of("SLUICE_ALLOW_PRIVATE_DESTINATIONS", "10.1.0.0/16")));

        assertThat(config.delivery().addressPolicy().refusal(InetAddress.getByName("10.1.2.3")))
                .isEmpty();
        assertThat(config.delivery().addressPolicy().refusal(InetAddress.getByName("10.2.2.3")))
                .isPresent();
    }

    @Test
    void a_plans_file_replaces_the_catalogue(@TempDir Path directory) throws IOException {
        var file = directory.resolve("plans.json");
        Files.writeString(
                file, "{\"items\": [{\"name\": \"solo\", \"limits\": {\"retention_days\": 3}}]}");
        var settings = new Settings(Map.of("SLUICE_PLANS_FILE", file.toString()));
        var config = Config.read(settings);

        assertThat(settings.errors()).isEmpty();
        assertThat(config.account().plans().names()).containsExactly("solo");
        assertThat(config.account().initialSetup().plan()).as("the last one").isEqualTo("solo");
    }
}
