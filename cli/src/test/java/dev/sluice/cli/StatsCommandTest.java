package dev.sluice.cli;

import static dev.sluice.cli.testkit.CliRun.assertRefused;

import static org.assertj.core.api.Assertions.assertThat;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sluice.cli.testkit.CliRun;
import dev.sluice.cli.testkit.RelayServer;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.time.Duration;

/// Tests the command `sluice stats` against the real server.
class StatsCommandTest {

    private static final RelayServer SERVER = RelayServer.shared();

    /// Nothing listens there.
    private static final String DEAD_URL = "http://127.9.8.7:8099/hook";

    @TempDir private Path home;

    private String key = "";

    @BeforeEach
    void makeWorkspace() {
        key = SERVER.newWorkspaceKey();
    }

    @Test
    void counts_are_shown_in_all_by_source_and_by_destination() {
        String shop = create("sources", "name=Shop");
        String other = create("sources", "name=Other");
        String app = create("destinations", "name=App", "url=" + DEAD_URL);
        create("connections", "source_id=" + shop, "destination_id=" + app);
        ingest("Shop");
        ingest("Shop");
        ingest("Other");
        Awaitility.await()
                .atMost(Duration.ofSeconds(20))
                .pollInterval(Duration.ofMillis(500))
                .until(() -> total("events") == 3 && total("deliveries") == 2);

        var overview = ok("stats");
        var bySource = ok("stats", "--by", "source");
        var byDestination = ok("stats", "--by", "destination", "--destination", "App");

        assertThat(overview.out())
                .containsPattern("(?m)^window\\.after +\\d{4}-")
                .containsPattern("(?m)^bucket +hour$")
                .containsPattern("(?m)^events +3$")
                .containsPattern("(?m)^deliveries +2$")
                .containsPattern("(?m)^waiting\\.count +\\d+$")
                .containsPattern("(?m)^START +EVENTS +SUCCEEDED ");
        assertThat(bySource.out())
                .containsPattern("(?m)^SOURCE +EVENTS +UNVERIFIED ")
                .containsPattern("(?m)^Shop +2 ")
                .containsPattern("(?m)^Other +1 ");
        assertThat(byDestination.out())
                .containsPattern("(?m)^DESTINATION +DELETED +SUCCEEDED ")
                .containsPattern("(?m)^App +no +0 ");
        assertThat(ok("stats", "--by", "source", "-o", "quiet").out().lines())
                .containsExactly(shop, other);
        assertThat(ok("stats", "-o", "quiet").out()).isEmpty();
    }

    @Test
    void a_time_and_sources_narrow_what_is_counted() {
        create("sources", "name=Shop");
        create("sources", "name=Other");
        ingest("Shop");
        ingest("Other");
        Awaitility.await()
                .atMost(Duration.ofSeconds(20))
                .pollInterval(Duration.ofMillis(500))
                .until(() -> total("events") == 2);

        var one = ok("stats", "--source", "Shop", "--since", "1h", "-o", "json").json();
        var before = ok("stats", "--since", "5d", "--until", "3d", "-o", "json").json();
        var items = ok("stats", "--by", "source", "--source", "Other", "-o", "json").json();

        assertThat(one.path("totals").path("events").asInt()).isEqualTo(1);
        assertThat(before.path("totals").path("events").asInt(-1)).isZero();
        assertThat(items.path("items"))
                .singleElement()
                .satisfies(
                        item -> assertThat(item.path("source_name").asString()).isEqualTo("Other"));
    }

    @Test
    void errors_are_one_line_with_the_fix_and_have_their_exit_code() {
        assertRefused(run("stats", "--by", "day"), 2, "--by destination");
        assertRefused(run("stats", "--by", "source", "--destination", "App"), 2, "leave out --by");
        assertRefused(run("stats", "--since", "yesterday"), 2, "15m");
        assertRefused(run("stats", "--source", "Nothing"), 3, "no source named 'Nothing'");
        assertRefused(run("stats", "--destination", "Nothing"), 3, "no destination named");
        assertRefused(run("stats", "--since", "1h", "--until", "2h"), 5, "received_");
    }

    @Test
    void another_workspace_s_source_counts_nothing() {
        String source = create("sources", "name=Mine");
        key = SERVER.newWorkspaceKey();

        var stranger = ok("stats", "--by", "source", "--source", source, "-o", "json").json();

        assertThat(stranger.path("items")).isEmpty();
    }

    private int total(String field) {
        return ok("stats", "-o", "json").json().path("totals").path(field).asInt();
    }

    private void ingest(String source) {
        String path =
                ok("sources", "get", source, "-o", "json").json().path("ingest_path").asString();
        SERVER.ingest(path, "{}".getBytes(UTF_8));
    }

    private String create(String group, String... fields) {
        var args = new String[fields.length + 4];
        args[0] = group;
        args[1] = "create";
        args[2] = "-o";
        args[3] = "json";
        System.arraycopy(fields, 0, args, 4, fields.length);
        return ok(args).json().path("id").asString();
    }

    private CliRun ok(String... args) {
        return run(args).assertOk();
    }

    private CliRun run(String... args) {
        return new CliRunner(home)
                .with("SLUICE_SERVER", SERVER.url())
                .with("SLUICE_API_KEY", key)
                .run(args);
    }
}
