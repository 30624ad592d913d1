package dev.sluice.platform.loop;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

class ChoreTest {

    private static final Duration SECOND = Duration.ofSeconds(1);

    private final AtomicInteger rounds = new AtomicInteger();
    private final Chore chore = Chore.of("test", SECOND, rounds::incrementAndGet);

    @Test
    void before_its_delay_is_over_it_does_nothing() throws InterruptedException {
        chore.startingAfter(Duration.ofHours(1)).step().run();
        assertThat(rounds).hasValue(0);

        chore.startingAfter(Duration.ZERO).step().run();
        assertThat(rounds).hasValue(1);
    }

    @Test
    void while_there_is_nothing_to_do_it_waits_at_least_for_its_rest() {
        var rest = new AtomicReference<>(Duration.ZERO);
        var resting = chore.restingFor(rest::get);
        assertThat(resting.pause(false)).isEqualTo(SECOND);

        rest.set(Duration.ofSeconds(3));
        assertThat(resting.pause(false)).isEqualTo(Duration.ofSeconds(3));
        assertThat(resting.pause(true)).isEqualTo(Duration.ofSeconds(5));
    }

    @Test
    void its_idle_interval_is_longer_unless_it_is_steady_or_given() {
        assertThat(chore.idleInterval()).isEqualTo(Duration.ofSeconds(5));
        assertThat(chore.steady().idleInterval()).isEqualTo(SECOND);
        assertThat(chore.idlingAt(Duration.ofSeconds(2)).idleInterval())
                .isEqualTo(Duration.ofSeconds(2));
    }
}
