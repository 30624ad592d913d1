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
import java.time.InstantSource;
import java.util.Map;

/// Tests what becomes of a workspace whose plan the operator took out of the catalogue.
class VanishedPlanTest {

    /// No other test has a plan of this name; others may start servers at the same time.
    private static final String OFFERED_ONCE = "offered-once";

    @TempDir Path directory;

    private RunningSluice start(String plans) throws IOException {
        var file =
                Files.writeString(directory.resolve("plans.json"), "{\"items\": [" + plans + "]}");
        return RunningSluice.start(
                directory.resolve("data"),
                InstantSource.system(),
                Map.of("SLUICE_PLANS_FILE", file.toString()));
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
        ApiClient old;
        try (var first = start(plan(OFFERED_ONCE, 1, 3) + "," + plan("large", 100, 9));
                var log = LogRecorder.of(PlanStore.class)) {
            old = WorkspaceFixture.create(first, OFFERED_ONCE);
            assertThat(log.values("plan.vanished", "plan")).doesNotContain(OFFERED_ONCE);
        }
        // The limits at the last start count.
        start(plan(OFFERED_ONCE, 2, 4) + "," + plan("large", 100, 9)).close();

        try (var log = LogRecorder.of(PlanStore.class);
                var third = start(plan("large", 100, 9))) {
            var api = old.onPort(third.port());
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

            var unknown = WorkspaceFixture.create(third, "never-seen");
            assertThat(sourceUse(unknown))
                    .as("limits that nobody knows are those of the last plan")
                    .isEqualTo("{\"used\":0,\"limit\":100}");
        }
    }
}
