package dev.sluice.journey;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.RunningSluice;
import dev.sluice.account.plan.PlanStore;
import dev.sluice.testkit.ApiClient;
import dev.sluice.testkit.LogRecorder;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/// Tests what becomes of a workspace whose plan the operator took out of the catalogue.
class VanishedPlanTest {

    /// No other test has a plan of this name; others may start servers at the same time.
    private static final String OFFERED_ONCE = "offered-once";

    @TempDir Path directory;

    /// Writes the file that the next start reads. Returns its path.
    private Path offer(String... plans) throws IOException {
        return Files.writeString(
                directory.resolve("plans.json"), "{\"items\": [" + String.join(",", plans) + "]}");
    }

    private static String plan(String name, int sources, int days) {
        return "{\"name\": \"%s\", \"limits\": {\"sources\": %d, \"retention_days\": %d}}"
                .formatted(name, sources, days);
    }

    private static String sourceUse(ApiClient api) {
        return api.get("/api/v1/usage").json().path("sources").toString();
    }

    @Test
    void it_keeps_the_last_limits_of_its_plan_and_the_start_warns() throws IOException {
        String large = plan("large", 100, 9);
        var file = offer(plan(OFFERED_ONCE, 1, 3), large);
        try (var sluice = RunningSluice.start(Map.of("SLUICE_PLANS_FILE", file.toString()));
                var log = LogRecorder.of(PlanStore.class)) {
            var workspace = WorkspaceFixture.create(sluice, OFFERED_ONCE);
            offer(plan(OFFERED_ONCE, 2, 4), large);
            sluice.restart();
            assertThat(log.values("plan.vanished", "plan")).doesNotContain(OFFERED_ONCE);

            offer(large);
            sluice.restart();

            var api = workspace.onPort(sluice.port());
            assertThat(log.values("plan.vanished", "plan")).containsOnlyOnce(OFFERED_ONCE);
            assertThat(log.values("plan.vanished", "workspaces")).contains("1");
            assertThat(log.values("plan.vanished", "limits_of")).contains(OFFERED_ONCE);
            assertThat(sourceUse(api)).isEqualTo("{\"used\":0,\"limit\":2}");
            assertThat(api.get("/api/v1/plans").json().path("items").valueStream())
                    .extracting(each -> each.path("name").asString())
                    .containsExactly("large");
            api.source("one");
            api.source("two");
            assertThat(api.post("/api/v1/sources", "{'name': 'three'}").errorMessage())
                    .isEqualTo("The offered-once plan allows 2 sources. Delete one first.");

            var unknown = WorkspaceFixture.create(sluice, "never-seen");
            assertThat(sourceUse(unknown))
                    .as("limits that nobody knows are those of the last plan")
                    .isEqualTo("{\"used\":0,\"limit\":100}");
        }
    }
}
