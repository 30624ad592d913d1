package dev.sluice.engine.settle;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.engine.settle.CircuitBreaker.CircuitState;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.time.Duration;
import java.time.Instant;
import java.util.Random;

class CircuitBreakerTest {

    private static final Instant NOON = Instant.parse("2026-03-01T12:00:00Z");
    private static final CooldownBackoff STANDARD = CooldownBackoff.STANDARD;

    private static CircuitBreaker failed(CircuitBreaker circuit, int times, Instant at) {
        for (int i = 0; i < times; i++) {
            circuit = circuit.afterFailure(circuit.generation(), at, STANDARD);
        }
        return circuit;
    }

    private static CircuitBreaker open() {
        return failed(CircuitBreaker.healthy(), 5, NOON);
    }

    private static CircuitBreaker probing(CircuitBreaker open) {
        var now = open.nextTryAt().orElseThrow();
        return open.claimProbe(7, now, now.plusSeconds(40)).orElseThrow();
    }

    private static CircuitBreaker in(CircuitState state) {
        return switch (state) {
            case CLOSED -> failed(CircuitBreaker.healthy(), 4, NOON);
            case OPEN -> open();
            case HALF_OPEN -> probing(open());
        };
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4})
    void it_stays_closed_through_four_failures(int failures) {
        var circuit = failed(CircuitBreaker.healthy(), failures, NOON);

        assertThat(circuit.isClosed()).isTrue();
        assertThat(circuit.failures()).isEqualTo(failures);
        assertThat(circuit.nextTryAt()).isEmpty();
    }

    @Test
    void the_fifth_failure_in_a_row_opens_it_for_sixty_seconds() {
        var circuit = open();

        assertThat(circuit.state()).isEqualTo(CircuitState.OPEN);
        assertThat(circuit.reopenAt()).contains(NOON.plusSeconds(60));
        assertThat(circuit.failures()).isEqualTo(5);
    }

    @Test
    void a_success_in_between_begins_the_count_again() {
        var circuit = failed(failed(CircuitBreaker.healthy(), 4, NOON).afterReached(), 4, NOON);

        assertThat(circuit.isClosed()).isTrue();
        assertThat(circuit.failures()).isEqualTo(4);
    }

    @Test
    void a_probe_can_be_claimed_once_the_cooldown_has_passed_and_not_before() {
        var circuit = open();
        var until = NOON.plusSeconds(100);

        assertThat(circuit.claimProbe(7, NOON.plusMillis(59_999), until)).isEmpty();
        var claimed = circuit.claimProbe(7, NOON.plusSeconds(60), until).orElseThrow();
        assertThat(claimed.state()).isEqualTo(CircuitState.HALF_OPEN);
        assertThat(claimed.probeClaim()).contains(new CircuitBreaker.ProbeClaim(7, until));
        assertThat(claimed.isProbe(claimed.generation())).isTrue();
    }

    @Test
    void there_is_one_probe_until_its_time_is_up() {
        var claimed = probing(open());
        var until = claimed.probeClaim().orElseThrow().until();

        assertThat(claimed.claimProbe(8, until.minusMillis(1), until.plusSeconds(9))).isEmpty();
        var next = claimed.claimProbe(8, until, until.plusSeconds(9)).orElseThrow();
        assertThat(next.isProbe(claimed.generation())).as("the first one").isFalse();
        assertThat(next.isProbe(next.generation())).isTrue();
    }

    @Test
    void a_probe_that_succeeds_closes_it_and_forgets_failures_and_cooldown() {
        var closed = probing(open()).afterReached();

        assertThat(closed.isHealthy()).isTrue();
        assertThat(failed(closed, 5, NOON).reopenAt()).contains(NOON.plusSeconds(60));
    }

    @Test
    void the_cooldown_doubles_with_each_failed_probe_up_to_ten_minutes() {
        var circuit = open();
        for (int seconds : new int[] {120, 240, 480, 600, 600}) {
            var at = circuit.nextTryAt().orElseThrow();
            var claimed = probing(circuit);
            circuit = claimed.afterFailure(claimed.generation(), at, STANDARD);

            assertThat(circuit.state()).isEqualTo(CircuitState.OPEN);
            assertThat(circuit.cooldown()).hasSeconds(seconds);
            assertThat(circuit.reopenAt()).contains(at.plusSeconds(seconds));
        }
    }

    @ParameterizedTest
    @EnumSource(CircuitState.class)
    void a_proof_of_reachability_closes_it_from_any_state(CircuitState state) {
        var circuit = in(state).afterReached();

        assertThat(circuit.isHealthy()).isTrue();
        assertThat(circuit.cooldown()).isZero();
        assertThat(circuit.reopenAt()).isEmpty();
        assertThat(circuit.probeClaim()).isEmpty();
    }

    @ParameterizedTest
    @EnumSource(CircuitState.class)
    void a_failure_of_an_older_generation_changes_nothing(CircuitState state) {
        var circuit = probing(open()).afterReached(); // so that there is an older one
        var later =
                switch (state) {
                    case CLOSED -> failed(circuit, 4, NOON);
                    case OPEN -> failed(circuit, 5, NOON);
                    case HALF_OPEN -> probing(failed(circuit, 5, NOON));
                };

        assertThat(later.afterFailure(0, NOON, STANDARD)).isEqualTo(later);
    }

    @Test
    void all_that_was_under_way_when_it_opened_does_not_double_the_cooldown() {
        var circuit = CircuitBreaker.healthy();
        for (int i = 0; i < 64; i++) {
            circuit = circuit.afterFailure(0, NOON, STANDARD);
        }
        assertThat(circuit).isEqualTo(open());

        var claimed = probing(circuit);
        for (int i = 0; i < 64; i++) {
            claimed = claimed.afterFailure(0, NOON.plusSeconds(61), STANDARD);
        }
        assertThat(claimed).isEqualTo(probing(open()));
    }

    @Test
    void a_probe_that_took_too_long_does_not_speak_for_the_next_one() {
        var first = probing(open());
        var second = probing(first);

        assertThat(second.afterFailure(first.generation(), NOON, STANDARD)).isEqualTo(second);
        assertThat(second.giveBack(first.generation())).isEqualTo(second);
    }

    @Test
    void a_probe_given_back_is_due_at_once_with_the_same_cooldown() {
        var claimed = probing(open());
        var back = claimed.giveBack(claimed.generation());

        assertThat(back.state()).isEqualTo(CircuitState.OPEN);
        assertThat(back.isProbeDue(NOON.plusSeconds(60))).isTrue();
        assertThat(back.cooldown()).isEqualTo(open().cooldown());
        var again = probing(back);
        assertThat(again.afterFailure(again.generation(), NOON, STANDARD).cooldown())
                .hasSeconds(120);
    }

    @Test
    void giving_back_what_is_over_changes_nothing() {
        var claimed = probing(open());
        int probe = claimed.generation();
        var failed = claimed.afterFailure(probe, NOON, STANDARD);
        var closed = claimed.afterReached();

        assertThat(failed.giveBack(probe)).isEqualTo(failed);
        assertThat(closed.giveBack(probe)).isEqualTo(closed);
        assertThat(open().giveBack(open().generation())).isEqualTo(open());
    }

    /// Compares random sequences with counts kept independently.
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
    void any_sequence_keeps_to_the_table(long seed) {
        var random = new Random(seed);
        var circuit = CircuitBreaker.healthy();
        var now = NOON;
        var oracle = new ReferenceCircuit();
        for (int step = 0; step < 5_000; step++) {
            switch (random.nextInt(10)) {
                case 0 -> {
                    circuit = circuit.afterReached();
                    oracle.success();
                }
                case 1, 2, 3, 4, 5 -> {
                    circuit = circuit.afterFailure(circuit.generation(), now, STANDARD);
                    oracle.failure(now);
                }
                case 6 -> circuit = circuit.afterFailure(circuit.generation() - 1, now, STANDARD);
                case 7 -> {
                    var claimed = circuit.claimProbe(1, now, now.plusSeconds(40));
                    assertThat(claimed.isPresent()).isEqualTo(oracle.claim(now));
                    circuit = claimed.orElse(circuit);
                }
                case 8 -> {
                    circuit = circuit.giveBack(circuit.generation());
                    oracle.giveBack();
                }
                default -> now = now.plusSeconds(random.nextInt(300));
            }
            assertThat(circuit.state()).isEqualTo(oracle.state);
            if (circuit.state() == CircuitState.OPEN) {
                assertThat(circuit.reopenAt()).contains(oracle.dueAt);
                assertThat(circuit.cooldown())
                        .isBetween(Duration.ofSeconds(60), Duration.ofMinutes(10));
            }
        }
    }

    private static final class ReferenceCircuit {
        private CircuitState state = CircuitState.CLOSED;
        private int inARow;
        private int openings;
        private Instant dueAt = NOON;
        private Instant heldUntil = NOON;

        void success() {
            state = CircuitState.CLOSED;
            inARow = 0;
            openings = 0;
        }

        void failure(Instant now) {
            if (state == CircuitState.OPEN) {
                return;
            }
            inARow++;
            if (inARow >= 5) {
                state = CircuitState.OPEN;
                dueAt = now.plusSeconds(Math.min(600, 60L << Math.min(openings, 9)));
                openings++;
            }
        }

        boolean claim(Instant now) {
            boolean isDue =
                    switch (state) {
                        case CLOSED -> false;
                        case OPEN -> !now.isBefore(dueAt);
                        case HALF_OPEN -> !now.isBefore(heldUntil);
                    };
            if (isDue) {
                state = CircuitState.HALF_OPEN;
                heldUntil = now.plusSeconds(40);
            }
            return isDue;
        }

        void giveBack() {
            if (state == CircuitState.HALF_OPEN) {
                state = CircuitState.OPEN;
            }
        }
    }
}
