package dev.sluice;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.platform.config.Settings;
import dev.sluice.platform.db.Database;
import dev.sluice.testkit.ApiClient;
import dev.sluice.testkit.TestPostgres;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;

/// Tests `sluice set-plan` beside a running server and beside none.
class SetPlanCommandTest {

    private record CommandRun(int status, String out, String err) {}

    @AutoClose
    private static final RunningSluice sluice =
            RunningSluice.start(Map.of("SLUICE_PLAN_CHANGE", "operator"));

    private static CommandRun run(Database database, String... arguments) {
        var settings =
                new Settings(
                        Map.of(
                                "SLUICE_DATABASE_URL",
                                TestPostgres.url(database),
                                "SLUICE_MASTER_KEY",
                                RunningSluice.MASTER_KEY));
        var out = new ByteArrayOutputStream();
        var err = new ByteArrayOutputStream();
        int status =
                SetPlanCommand.run(
                        Config.read(settings), List.of(arguments), print(out), print(err));
        return new CommandRun(
                status, out.toString(StandardCharsets.UTF_8), err.toString(StandardCharsets.UTF_8));
    }

    private static PrintStream print(ByteArrayOutputStream to) {
        return new PrintStream(to, true, StandardCharsets.UTF_8);
    }

    private static String workspace(ApiClient api) {
        return api.get("/api/v1/me").json().path("workspace").path("id").asString();
    }

    private static String plan(ApiClient api) {
        return api.get("/api/v1/me").json().path("workspace").path("plan").asString();
    }

    @Test
    void beside_a_running_server_the_new_limits_are_in_force_soon() {
        var api = sluice.api();
        String workspace = workspace(api);

        var unconfirmed = run(sluice.database(), workspace, "free");
        assertThat(unconfirmed.status).isEqualTo(1);
        assertThat(unconfirmed.err)
                .isEqualTo(
                        "The plan keeps events for 3 days, which is shorter than now. About 0"
                                + " stored events would expire at once. Nothing was changed. Add"
                                + " --confirm to change it anyway.\n");
        assertThat(plan(api)).isEqualTo("business");

        var changed = run(sluice.database(), workspace, "free", "--confirm");
        assertThat(changed)
                .isEqualTo(
                        new CommandRun(
                                0,
                                "The workspace Default has the plan free now. A running server"
                                        + " enforces it within two seconds.\n",
                                ""));
        await().untilAsserted(() ->
                assertThat(api.get("/api/v1/me").header("RateLimit-Limit")).contains("60"));
    }

    @Test
    void without_a_server_the_database_is_changed_all_the_same() {
        Database database;
        String workspace;
        try (var other = RunningSluice.start()) {
            database = other.database();
            workspace = workspace(other.api());
        }

        assertThat(run(database, workspace, "team", "--confirm").status).isZero();

        try (var db = TestPostgres.open(database)) {
            assertThat(
                            db.<String>call(tx ->
                                    tx.single(
                                            "select plan from workspace", row -> row.text("plan"))))
                    .isEqualTo("team");
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    018f0000-0000-7000-8000-000000000000 free  | 1 | There is no workspace with this id.
                    018f0000-0000-7000-8000-000000000000 huge  | 2 | The plan must be one of free, team, business.
                    Default free                               | 2 | WORKSPACE must be the id of a workspace, a UUID.
                    Default                                    | 2 | Usage: sluice set-plan WORKSPACE PLAN [--confirm]. WORKSPACE is the workspace's id.
                    Default free team                          | 2 | Usage: sluice set-plan WORKSPACE PLAN [--confirm]. WORKSPACE is the workspace's id.
                    """)
    void a_wrong_argument_is_named(String arguments, int status, String message) {
        var refused = run(sluice.database(), arguments.split(" ", -1));

        assertThat(refused).isEqualTo(new CommandRun(status, "", message + "\n"));
    }
}
