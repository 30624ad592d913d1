package dev.sluice.account.people;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.testkit.Some;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;

class SignInThrottleTest {

    private static final String ADA = "ada@example.com";
    private static final String HERE = "198.51.100.1";

    private final SignInThrottle throttle = new SignInThrottle();
    private Instant now = Some.NOON;

    private void fail(String email, String network, int times) {
        for (int i = 0; i < times; i++) {
            throttle.failed(email, network, now);
        }
    }

    @Test
    void each_failure_after_the_fifth_doubles_the_wait_up_to_a_quarter_of_an_hour() {
        fail(ADA, HERE, 4);
        assertThat(throttle.delay(ADA, HERE, now)).isZero();

        var waits = new ArrayList<Long>();
        for (int i = 0; i < 13; i++) {
            throttle.failed(ADA, HERE, now);
            waits.add(throttle.delay(ADA, HERE, now).toSeconds());
            now = now.plus(Duration.ofMinutes(20)); // so that the network's minute is over
            assertThat(throttle.delay(ADA, HERE, now)).isZero();
        }

        assertThat(waits)
                .containsExactly(1L, 2L, 4L, 8L, 16L, 32L, 64L, 128L, 256L, 512L, 900L, 900L, 900L);
    }

    @Test
    void the_owner_elsewhere_never_waits() {
        for (int i = 0; i < 10_000; i++) {
            throttle.failed(ADA, "10.0." + i / 250 + "." + i % 250, now);
        }

        assertThat(throttle.delay(ADA, "203.0.113.5", now)).isZero();
    }

    @Test
    void a_network_has_twenty_failures_a_minute_whatever_the_accounts() {
        for (int i = 0; i < 20; i++) {
            assertThat(throttle.delay(ADA, HERE, now)).isZero();
            throttle.failed("person" + i + "@example.com", HERE, now);
        }

        assertThat(throttle.delay(ADA, HERE, now)).isEqualTo(Duration.ofMinutes(1));
        assertThat(throttle.delay(ADA, "203.0.113.5", now)).isZero();
        now = now.plus(Duration.ofMinutes(1));
        assertThat(throttle.delay(ADA, HERE, now)).isZero();
    }

    @Test
    void a_success_clears_the_failures_of_the_account_on_its_network() {
        fail(ADA, HERE, 8);
        assertThat(throttle.delay(ADA, HERE, now)).isPositive();

        throttle.succeeded(ADA, HERE);

        assertThat(throttle.delay(ADA, HERE, now)).isZero();
    }

    @Test
    void a_clock_that_is_set_back_prolongs_no_wait_beyond_the_longest() {
        fail(ADA, HERE, 30);
        now = now.minus(Duration.ofDays(30));

        assertThat(throttle.delay(ADA, HERE, now)).isEqualTo(SignInThrottle.MAX_DELAY);
    }

    @Test
    void an_attack_from_very_many_networks_takes_bounded_memory() {
        for (int i = 0; i < 120_000; i++) {
            throttle.failed(ADA, "network " + i, now);
        }

        assertThat(throttle.size()).isEqualTo(100_000);
    }
}
