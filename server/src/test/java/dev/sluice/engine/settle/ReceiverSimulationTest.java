package dev.sluice.engine.settle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Named.named;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import dev.sluice.engine.settle.Pace.CapacitySignal;
import dev.sluice.engine.settle.ReceiverSimulation.Receiver;
import dev.sluice.engine.settle.ReceiverSimulation.Reply;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.function.Supplier;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/// Holds the [Pace] against models of receivers that refuse: how much of what they could take they
/// get, and how many requests they have to refuse for it. Beside it, what they get without.
class ReceiverSimulationTest {

    private static final int MAX_IN_FLIGHT = 32;
    private static final long[] SEEDS = {1, 2, 3};

    private static Receiver bucket(double rate, double retryAfter) {
        double[] state = {Math.max(1, rate), 0};
        return (now, _, _) -> {
            state[0] = Math.min(Math.max(1, rate), state[0] + (now - state[1]) * rate);
            state[1] = now;
            if (state[0] >= 1) {
                state[0]--;
                return Reply.taken(0.01);
            }
            return new Reply(CapacitySignal.TOO_MANY, 0.005, retryAfter);
        };
    }

    private static Receiver inEach(double seconds, int most, boolean saysWhen) {
        long[] state = {0, 0};
        return (now, _, _) -> {
            long period = (long) (now / seconds);
            if (period != state[0]) {
                state[0] = period;
                state[1] = 0;
            }
            if (state[1]++ < most) {
                return Reply.taken(0.01);
            }
            return new Reply(
                    CapacitySignal.TOO_MANY,
                    0.005,
                    saysWhen ? Math.ceil((period + 1) * seconds - now) : 0);
        };
    }

    private static Receiver atATime(int most, double took, double downUntil) {
        return (now, onTheWire, _) ->
                onTheWire > most || now < downUntil
                        ? Reply.refused(CapacitySignal.UNAVAILABLE, 0.002)
                        : Reply.taken(took);
    }

    private static double[] atOnce(int count) {
        return new double[count];
    }

    /// One receiver, and what it must get.
    ///
    /// @param seconds how long it is watched
    /// @param possible how many deliveries it could take in that time
    /// @param leastShare the share of these that it must get
    /// @param mostRefused how many it may have to refuse, for each that it takes
    record Case(
            Supplier<Receiver> receiver,
            int waiting,
            double seconds,
            int possible,
            double leastShare,
            double mostRefused) {

        ReceiverSimulation run(boolean isPaced, long seed) {
            return new ReceiverSimulation(
                            receiver.get(), atOnce(waiting), isPaced, MAX_IN_FLIGHT, seed)
                    .run(seconds);
        }
    }

    private static Arguments receiver(String name, Case one) {
        return arguments(named(name, one));
    }

    static Stream<Arguments> receivers() {
        return Stream.of(
                receiver("20 a second", new Case(() -> bucket(20, 0), 3_000, 60, 1_220, 0.95, 0.1)),
                receiver(
                        "20 a second, with Retry-After",
                        new Case(() -> bucket(20, 1), 3_000, 60, 1_220, 0.95, 0.1)),
                receiver(
                        "20 in each second",
                        new Case(() -> inEach(1, 20, false), 3_000, 60, 1_200, 0.95, 0.15)),
                receiver(
                        "200 a second",
                        new Case(() -> bucket(200, 0), 20_000, 60, 12_200, 0.94, 0.03)),
                receiver("2 a second", new Case(() -> bucket(2, 0), 3_000, 300, 602, 0.95, 0.45)),
                receiver(
                        "100 in each minute",
                        new Case(() -> inEach(60, 100, false), 3_000, 599, 1_000, 0.95, 0.2)),
                receiver(
                        "100 in each minute, with Retry-After",
                        new Case(() -> inEach(60, 100, true), 3_000, 599, 1_000, 0.99, 0.1)),
                receiver(
                        "four at a time, 50 ms",
                        new Case(() -> atATime(4, 0.05, 0), 20_000, 60, 4_800, 0.97, 0.03)),
                receiver(
                        "one at a time, 200 ms",
                        new Case(() -> atATime(1, 0.2, 0), 20_000, 60, 300, 0.97, 0.15)),
                receiver(
                        "down for 100 s, then four at a time, 20 ms",
                        new Case(() -> atATime(4, 0.02, 100), 6_000, 280, 6_000, 0.99, 0.03)));
    }

    @ParameterizedTest
    @MethodSource("receivers")
    void receiver_gets_what_it_can_take_and_refuses_little(Case one) {
        for (long seed : SEEDS) {
            var run = one.run(true, seed);

            assertThat(run.delivered())
                    .isGreaterThanOrEqualTo((int) (one.leastShare() * one.possible()));
            assertThat(run.refused())
                    .isLessThanOrEqualTo((int) (one.mostRefused() * run.delivered()));
            assertThat(run.exhausted()).isZero();
        }
    }

    /// Each burst opened the circuit, and each success closed it for the next burst.
    @Test
    void receiver_of_twenty_a_second_got_twenty_a_minute_without_a_pace() {
        var run = new Case(() -> bucket(20, 0), 3_000, 60, 1_220, 0, 0).run(false, 1);

        assertThat(run.delivered()).isLessThan(50);
    }

    static Stream<Arguments> receiversThatNeverRefuse() {
        return Stream.of(
                arguments(0.005, 32), arguments(0.2, 1), arguments(2.0, 32), arguments(10.0, 256));
    }

    @ParameterizedTest
    @MethodSource("receiversThatNeverRefuse")
    void receiver_that_never_refuses_has_no_pace(double took, int maxInFlight) {
        var run =
                new ReceiverSimulation(
                                (_, _, _) -> Reply.taken(took), atOnce(9_000), true, maxInFlight, 1)
                        .run(120.5);

        assertThat(run.delivered())
                .isEqualTo(Math.min(9_000, ((int) (120.5 / took)) * maxInFlight));
        assertThat(run.pace()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 60})
    void receiver_that_answers_nothing_but_429_is_open_after_five(int retryAfter) {
        var run =
                new ReceiverSimulation(
                                (_, _, _) -> new Reply(CapacitySignal.TOO_MANY, 0.005, retryAfter),
                                IntStream.range(0, 10).mapToDouble(i -> i / 5.0).toArray(),
                                true,
                                MAX_IN_FLIGHT,
                                1)
                        .run(10);

        assertThat(run.opened()).isEqualTo(1);
        assertThat(run.refused()).isEqualTo(5);
    }

    @Test
    void one_stray_429_changes_nothing() {
        var arrivals =
                DoubleStream.concat(
                                IntStream.range(0, 60).asDoubleStream(),
                                DoubleStream.generate(() -> 60.0).limit(2_000))
                        .toArray();
        var run =
                new ReceiverSimulation(
                                (now, _, _) ->
                                        now > 30 && now < 31.5
                                                ? Reply.refused(CapacitySignal.TOO_MANY, 0.005)
                                                : Reply.taken(0.01),
                                arrivals,
                                true,
                                MAX_IN_FLIGHT,
                                1)
                        .run(65);

        assertThat(run.waits(65).getLast()).isLessThan(61); // the stray one waits for its schedule
        assertThat(run.delivered()).isEqualTo(2_060);
    }

    /// One customer's limit says nothing of the receiver.
    @ParameterizedTest
    @ValueSource(ints = {1, 5})
    void limit_for_a_few_events_slows_no_other(int percent) {
        var run =
                new ReceiverSimulation(
                                (_, _, delivery) ->
                                        delivery * 7_919 % 100 < percent
                                                ? new Reply(CapacitySignal.TOO_MANY, 0.02, 60)
                                                : Reply.taken(0.02),
                                IntStream.range(0, 15_000).mapToDouble(i -> i / 50.0).toArray(),
                                true,
                                MAX_IN_FLIGHT,
                                1)
                        .run(301);
        int others = 15_000 * (100 - percent) / 100;
        var waits = run.waits(300);

        assertThat(run.delivered()).isGreaterThanOrEqualTo(others * 98 / 100);
        assertThat(waits.get((int) (0.93 * waits.size()))).isLessThan(1);
    }

    @Test
    void two_nodes_share_a_receiver_of_twenty_a_second() {
        for (long seed : SEEDS) {
            var run =
                    new ReceiverSimulation(
                                    bucket(20, 0), atOnce(3_000), true, MAX_IN_FLIGHT, seed, 2)
                            .run(60);

            assertThat(run.delivered()).isGreaterThanOrEqualTo(1_220 * 75 / 100);
            assertThat(run.refused()).isLessThanOrEqualTo(run.delivered() / 2);
        }
    }
}
