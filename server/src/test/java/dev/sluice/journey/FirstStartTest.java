package dev.sluice.journey;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.RunningSluice;
import dev.sluice.account.assembly.AccountAssembly;
import dev.sluice.testkit.ApiClient;
import dev.sluice.testkit.LogRecorder;
import dev.sluice.testkit.TestPostgres;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.Map;
import java.util.regex.Pattern;

class FirstStartTest {

    @TempDir Path dataDir;

    @Test
    void the_first_start_writes_sign_in_and_key_where_only_the_owner_can_read_them()
            throws IOException {
        try (var sluice = start(Map.of("SLUICE_ADMIN_API_KEY", ""))) {
            var note = dataDir.resolve("first-start.txt");
            String text = Files.readString(note);

            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(note)))
                    .isEqualTo("rw-------");
            assertThat(text)
                    .contains("  Sign-in   admin@localhost\n")
                    .containsPattern("  Password  [0-9A-Za-z]{24}\n")
                    .containsPattern("  API key   slk_[0-9A-Za-z]{36}\n")
                    .contains("curl -s ")
                    .contains("/api/v1/sources");
            var me = new ApiClient(sluice.port(), keyIn(text)).get("/api/v1/me");
            assertThat(me.status()).isEqualTo(200);
        }
    }

    @Test
    void what_the_operator_chose_is_taken() throws IOException {
        try (var sluice =
                start(
                        Map.of(
                                "SLUICE_ADMIN_EMAIL", "ops@example.com",
                                "SLUICE_ADMIN_PASSWORD", "correct horse",
                                "SLUICE_WORKSPACE_PLAN", "team"))) {
            String text = Files.readString(dataDir.resolve("first-start.txt"));

            assertThat(text)
                    .contains("  Sign-in   ops@example.com\n")
                    .contains("  Password  correct horse\n")
                    .contains("  API key   " + RunningSluice.API_KEY + "\n");
            var me = sluice.api().get("/api/v1/me").json();
            assertThat(me.path("auth").asString()).isEqualTo("api_key");
            assertThat(me.path("header_prefix").asString()).isEqualTo("X-Service");
            assertThat(me.path("workspace").propertyNames())
                    .containsExactly("id", "name", "plan", "suspension");
            assertThat(me.path("workspace").path("name").asString()).isEqualTo("Default");
            assertThat(me.path("workspace").path("plan").asString()).isEqualTo("team");
        }
    }

    @Test
    void a_key_that_is_set_later_is_warned_about() {
        try (var sluice = start(Map.of());
                var log = LogRecorder.of(AccountAssembly.class)) {
            sluice.restart();
            assertThat(log.count("admin_key.ignored")).isZero();

            var database = Map.of("SLUICE_DATABASE_URL", TestPostgres.url(sluice.database()));
            var changed = new HashMap<>(database);
            changed.put("SLUICE_ADMIN_API_KEY", "another_key_" + "x".repeat(32));
            RunningSluice.start(changed).close();

            assertThat(log.count("admin_key.ignored")).isOne();
        }
    }

    @Test
    void a_key_that_has_expired_is_warned_about() {
        try (var sluice = start(Map.of());
                var log = LogRecorder.of(AccountAssembly.class)) {
            sluice.db()
                    .run(tx ->
                            tx.update(
                                    "update api_key set expires_at = now() - interval '1 second'"));
            sluice.restart();

            assertThat(log.count("admin_key.ignored")).isOne();
        }
    }

    @Test
    void a_later_start_makes_nothing_new() throws IOException {
        try (var sluice = start(Map.of("SLUICE_ADMIN_API_KEY", ""))) {
            var note = dataDir.resolve("first-start.txt");
            String key = keyIn(Files.readString(note));
            var before = new ApiClient(sluice.port(), key).get("/api/v1/me");
            Files.delete(note);

            sluice.restart();

            assertThat(note).doesNotExist();
            assertThat(new ApiClient(sluice.port(), key).get("/api/v1/me").json())
                    .isEqualTo(before.json());
            try (var db = sluice.db()) {
                long rows =
                        db.call(tx ->
                                tx.single(
                                        """
                                        select (select count(*) from workspace)
                                             + (select count(*) from account)
                                             + (select count(*) from api_key) as n
                                        """,
                                        row -> row.number("n")));
                assertThat(rows).isEqualTo(3);
            }
        }
    }

    private RunningSluice start(Map<String, String> settings) {
        return RunningSluice.start(dataDir, InstantSource.system(), settings);
    }

    private static String keyIn(String text) {
        var matcher = Pattern.compile("API key +(\\S+)").matcher(text);
        assertThat(matcher.find()).isTrue();
        return matcher.group(1);
    }
}
