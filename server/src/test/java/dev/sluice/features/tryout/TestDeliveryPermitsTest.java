package dev.sluice.features.tryout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.account.workspace.WorkspaceId;
import dev.sluice.platform.http.ApiErrorCode;
import dev.sluice.platform.http.ApiException;
import dev.sluice.testkit.ManualClock;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.UUID;

class TestDeliveryPermitsTest {

    private final ManualClock clock = new ManualClock(Instant.parse("2026-03-01T12:00:20Z"));
    private final TestDeliveryPermits permits = new TestDeliveryPermits(clock);
    private final WorkspaceId workspace = new WorkspaceId(UUID.randomUUID());

    @Test
    void a_workspace_has_four_at_a_time_and_leaves_the_others_theirs() {
        var taken = new ArrayList<TestDeliveryPermits.TestDeliveryPermit>();
        for (int i = 0; i < TestDeliveryPermits.MAX_IN_FLIGHT_PER_WORKSPACE; i++) {
            taken.add(permits.take(workspace));
        }

        assertRefused(workspace, ApiErrorCode.RATE_LIMITED, "under way");
        permits.take(new WorkspaceId(UUID.randomUUID())).close();

        taken.getFirst().close();
        permits.take(workspace).close();
    }

    @Test
    void a_few_workspaces_cannot_take_all() {
        for (int i = 0; i < 6; i++) {
            takeAll(new WorkspaceId(UUID.randomUUID()));
        }

        permits.take(workspace).close();
    }

    private void takeAll(WorkspaceId greedy) {
        try {
            for (int i = 0; i < TestDeliveryPermits.MAX_IN_FLIGHT_PER_WORKSPACE; i++) {
                var _ = permits.take(greedy);
            }
        } catch (ApiException e) {
            assertThat(e.error()).isEqualTo(ApiErrorCode.UNAVAILABLE);
        }
    }

    @Test
    void the_node_has_a_bounded_number_at_a_time() {
        var taken = new ArrayList<TestDeliveryPermits.TestDeliveryPermit>();
        for (int i = 0; i < TestDeliveryPermits.MAX_IN_FLIGHT / 2; i++) {
            taken.add(permits.take(new WorkspaceId(UUID.randomUUID())));
        }

        assertRefused(workspace, ApiErrorCode.UNAVAILABLE, "Too many");

        taken.getFirst().close();
        permits.take(workspace).close();
    }

    @Test
    void a_workspace_has_sixty_a_minute() {
        for (int i = 0; i < TestDeliveryPermits.MAX_PER_MINUTE; i++) {
            permits.take(workspace).close();
        }

        assertRefused(workspace, ApiErrorCode.RATE_LIMITED, "Try again in 40 s.");
        permits.take(new WorkspaceId(UUID.randomUUID())).close();

        clock.advance(Duration.ofSeconds(40));
        permits.take(workspace).close();
    }

    private void assertRefused(WorkspaceId asking, ApiErrorCode code, String part) {
        assertThatThrownBy(() -> permits.take(asking))
                .isInstanceOfSatisfying(
                        ApiException.class, e -> assertThat(e.error()).isEqualTo(code))
                .hasMessageContaining(part);
    }
}
