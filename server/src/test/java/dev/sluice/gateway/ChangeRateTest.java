package dev.sluice.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.account.workspace.WorkspaceId;
import dev.sluice.platform.http.ApiException;
import dev.sluice.testkit.ManualClock;
import dev.sluice.testkit.Some;

import org.junit.jupiter.api.Test;

import java.time.Duration;

class ChangeRateTest {

    private final ManualClock clock = new ManualClock(Some.NOON);
    private final ChangeRate rate = new ChangeRate(clock);
    private final WorkspaceId workspace = new WorkspaceId(Some.id());

    private int begin() {
        return begin(workspace);
    }

    private int begin(WorkspaceId of) {
        try {
            rate.begin(of);
            return 0;
        } catch (ApiException e) {
            return e.error().status();
        }
    }

    private void spendAll() {
        for (int i = 0; i < ChangeRate.BURST; i++) {
            rate.begin(workspace);
        }
    }

    @Test
    void after_a_burst_a_workspace_changes_six_hundred_settings_a_minute() {
        spendAll();
        assertThat(begin()).isEqualTo(429);

        clock.advance(Duration.ofMinutes(1));

        for (int i = 0; i < 600; i++) {
            rate.begin(workspace);
        }
        assertThat(begin()).isEqualTo(429);
        assertThat(begin(new WorkspaceId(Some.id()))).as("another workspace").isZero();
    }

    @Test
    void a_large_change_costs_as_much_as_many_small_ones() {
        rate.begin(workspace);
        rate.wrote(workspace, (ChangeRate.BURST + 9L) * 4 * 1024);

        assertThat(begin()).isEqualTo(429);
        clock.advance(Duration.ofSeconds(1));
        assertThat(begin()).as("the debt of ten is paid, and one more must come").isEqualTo(429);
        clock.advance(Duration.ofMillis(100));
        assertThat(begin()).isZero();
    }

    @Test
    void a_clock_that_is_set_back_gives_and_takes_nothing() {
        spendAll();

        clock.advance(Duration.ofHours(-1));
        assertThat(begin()).isEqualTo(429);
        clock.advance(Duration.ofSeconds(1));
        assertThat(begin()).isZero();
    }
}
