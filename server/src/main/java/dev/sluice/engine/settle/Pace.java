package dev.sluice.engine.settle;

import dev.sluice.engine.ErrorCode;
import dev.sluice.engine.Outcome;
import dev.sluice.engine.ResponseClass;

import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.random.RandomGenerator;

/// How much one destination takes, learned from what it refuses: how many attempts may be on the
/// wire (the window), how many a second may begin (the rate), and until when none may (the rest).
/// Before the first refusal that says so, there is none of the three.
///
/// | answer | effect |
/// | --- | --- |
/// | 503, connection refused, reset or timed out | the window is cut to 0.6 of what was on the wire; by one if the same size was refused before |
/// | several 429, or 503 with `Retry-After`, beside successes | the destination rests, then there is a rate, or a window of one |
/// | 2xx | the window or the rate grows: fast up to 0.7 of what was refused, then slowly |
/// | anything else | none: it says something of the event or of the address |
///
/// A cut happens once a round: answers to attempts that began before the last cut say nothing new.
/// A single 429 may be meant for one event, such as one customer's limit. It counts only if it is
/// the fourth failure in a row, or if 13 of the last 50 first attempts were refused. Where nothing
/// succeeds, there is no rest: that is the matter of the [CircuitBreaker].
///
/// Does no I/O and reads no clock. Not thread-safe; each node has its own. The figures come from
/// `ReceiverSimulation`, a test, which runs this class against models of receivers.
public final class Pace {

    /// What an attempt says about how much its destination takes.
    public enum CapacitySignal {
        /// 2xx.
        TAKEN,
        /// Another response that proves the destination reachable.
        REJECTED,
        /// 429.
        TOO_MANY,
        /// 503.
        UNAVAILABLE,
        /// The connection was refused or reset, or something timed out.
        UNREACHABLE,
        /// Another failure.
        FAILED;

        /// Returns what the outcome of an attempt says, or empty if the destination was not asked.
        public static Optional<CapacitySignal> of(Outcome outcome) {
            return switch (outcome) {
                case Outcome.DestinationResponse(int status, _, _, _, _) -> Optional.of(of(status));
                case Outcome.AttemptError(ErrorCode code, _, _) ->
                        switch (code) {
                            case TRANSFORMATION_FAILED, INTERRUPTED -> Optional.empty();
                            case CONNECT_REFUSED,
                                    CONNECT_TIMEOUT,
                                    CONNECTION_RESET,
                                    RESPONSE_TIMEOUT ->
                                    Optional.of(UNREACHABLE);
                            default -> Optional.of(FAILED);
                        };
            };
        }

        private static CapacitySignal of(int status) {
            return switch (status) {
                case 429 -> TOO_MANY;
                case 503 -> UNAVAILABLE;
                default ->
                        switch (ResponseClass.of(status)) {
                            case SUCCESS -> TAKEN;
                            case REFUSAL -> REJECTED;
                            case REDIRECT, TEMPORARY_FAILURE -> FAILED;
                        };
            };
        }

        /// Whether this says how much the destination takes, and not something of the event or of
        /// the address.
        public boolean isOfCapacity() {
            return switch (this) {
                case TOO_MANY, UNAVAILABLE, UNREACHABLE -> true;
                case TAKEN, REJECTED, FAILED -> false;
            };
        }
    }

    /// The answer to one attempt.
    ///
    /// @param retryAfter the wait requested by the response; zero if none was
    /// @param isFirst whether this was the delivery's first attempt
    /// @param onTheWire how many attempts were on the wire, this one included
    /// @param maxInFlight the destination's `max_in_flight`
    public record PaceAnswer(
            CapacitySignal signal,
            Duration retryAfter,
            Instant begun,
            Instant ended,
            boolean isFirst,
            int onTheWire,
            int maxInFlight) {

        /// Whether the destination asks for fewer requests in a given time.
        private boolean isThrottled() {
            return signal == CapacitySignal.TOO_MANY
                    || (signal == CapacitySignal.UNAVAILABLE && !retryAfter.isZero());
        }
    }

    /// How long the last signal is remembered.
    static final Duration MEMORY = Duration.ofMinutes(10);

    /// For so long after a 2xx, the destination counts as one that takes deliveries.
    static final Duration RECENT = Duration.ofSeconds(60);

    static final Duration MAX_REST = Duration.ofSeconds(60);

    /// Slots of so long ago are used later, because loops are not on time to the millisecond.
    private static final Duration MIN_BURST = Duration.ofMillis(50);

    private static final Duration MIN_REST = Duration.ofSeconds(1);
    private static final int MAX_DOUBLINGS = 6;

    private static final double CUT = 0.6;
    private static final double RATE_CUT = 0.8;
    private static final double FAST_UNTIL = 0.7;
    private static final double SLOW_GROWTH = 0.05;

    /// Growth near the size that was refused halves with each further refusal at that size, this
    /// many times at most.
    private static final int MAX_SLOWDOWNS = 4;

    private static final int FAILURES_TO_CUT = 4;
    private static final int LAST_ANSWERS = 50;
    private static final int REFUSALS_TO_CUT = 13;

    /// So many of the last answers may be refused while the rate still grows.
    private static final int REFUSALS_TO_STAND_STILL = 2;

    private static final int HISTORY_SECONDS = 32;

    private final RandomGenerator random;
    private Instant lastTaken;
    private int failuresInARow;

    private double window; // 0: none
    private double refusedWindow = Double.MAX_VALUE;
    private int slowdowns;
    private double rate; // 0: none
    private double refusedRate;
    private Instant rest = Instant.MIN;
    private int restDoublings;
    private Instant nextSlot = Instant.MIN;

    private Instant cutAt = Instant.MIN;
    private Instant lastSignal = Instant.MIN;

    /// One bit for each of the last first attempts since the last cut: 1 for a capacity signal.
    private long answers;

    /// How many attempts succeeded in each second, by the second modulo the length.
    private final int[] taken = new int[HISTORY_SECONDS];

    private Instant takenFrom = Instant.MAX;
    private long takenSecond;

    /// When nothing waited for the destination, the last time that this was seen.
    private Instant idleAt = Instant.MIN;

    /// @param lastTaken when the destination last answered 2xx; [Instant#MIN] if this is not known
    /// @param random spreads the ends of rests
    public Pace(Instant lastTaken, RandomGenerator random) {
        this.lastTaken = lastTaken;
        this.random = random;
    }

    /// Returns how many attempts may be on the wire, or empty if only `max_in_flight` holds.
    public OptionalInt window() {
        return window == 0 ? OptionalInt.empty() : OptionalInt.of((int) Math.min(window, 1 << 20));
    }

    /// Returns how many attempts may begin in a second, or empty if there is no limit.
    public OptionalDouble rate() {
        return rate == 0 ? OptionalDouble.empty() : OptionalDouble.of(rate);
    }

    /// Returns when the rest is over, or empty if the destination does not rest.
    public Optional<Instant> restsUntil(Instant now) {
        return rest.isAfter(now) ? Optional.of(rest) : Optional.empty();
    }

    /// Whether there has been a cut.
    public boolean isLowered() {
        return !cutAt.equals(Instant.MIN);
    }

    /// Whether this object may be dropped: the last signal is long ago, or the clock was set back.
    public boolean isForgotten(Instant now) {
        return now.isAfter(lastSignal.plus(MEMORY)) || lastSignal.isAfter(now.plus(MAX_REST));
    }

    /// Returns when the next attempt may begin; not after `now` if it may begin now.
    public Instant nextBeginning(Instant now) {
        var slot = rate == 0 ? Instant.MIN : nextSlot;
        var next = rest.isAfter(slot) ? rest : slot;
        return next.isAfter(now.plus(MAX_REST.multipliedBy(2)))
                ? now // the clock was set back
                : next;
    }

    /// Records that an attempt begins.
    public void began(Instant now) {
        if (rate > 0) {
            var burst = seconds(0.5 / rate);
            var earliest = now.minus(burst.compareTo(MIN_BURST) > 0 ? burst : MIN_BURST);
            nextSlot = (nextSlot.isAfter(earliest) ? nextSlot : earliest).plus(seconds(1 / rate));
        }
    }

    /// Undoes [#began], because there was nothing to send.
    public void withdrawn() {
        if (rate > 0) {
            nextSlot = nextSlot.minus(seconds(1 / rate));
        }
    }

    /// Records that nothing waits for the destination.
    public void idle(Instant now) {
        idleAt = now;
    }

    /// Records that a probe succeeded, so that the circuit closes: the window begins at one.
    public void reopened() {
        window = 1;
        rate = 0;
        rest = Instant.MIN;
    }

    /// Takes in one answer. Returns whether it counts for the circuit if it is a failure: of the
    /// attempts that were on the wire when the pace was lowered, a 429 says nothing new.
    public boolean answered(PaceAnswer answer) {
        boolean isNews = answer.begun().isAfter(cutAt);
        if (answer.isFirst() && isNews) {
            int refusal = answer.signal().isOfCapacity() ? 1 : 0;
            answers = ((answers << 1) | refusal) & lastAnswersMask();
        }
        switch (answer.signal()) {
            case TAKEN -> taken(answer);
            case REJECTED -> failuresInARow = 0;
            case TOO_MANY, UNAVAILABLE, UNREACHABLE, FAILED -> failuresInARow++;
        }
        boolean counts =
                answer.signal() != CapacitySignal.TOO_MANY
                        || isNews
                        || !takesOthers(answer.ended());
        if (answer.signal().isOfCapacity()) {
            lastSignal = answer.ended();
            if (isNews) {
                refused(answer);
            }
        }
        return counts;
    }

    private static long lastAnswersMask() {
        return (1L << LAST_ANSWERS) - 1;
    }

    private boolean takesOthers(Instant now) {
        return !lastTaken.equals(Instant.MIN) && now.isBefore(lastTaken.plus(RECENT));
    }

    private void taken(PaceAnswer answer) {
        failuresInARow = 0;
        lastTaken = answer.ended();
        countTaken(answer.ended());
        if (window > 0) {
            restDoublings = 0;
            growWindow(answer.maxInFlight());
        }
        if (rate > 0 && Long.bitCount(answers) < REFUSALS_TO_STAND_STILL) {
            rate *=
                    rate < FAST_UNTIL * refusedRate
                            ? Math.pow(2, 1 / rate)
                            : 1 + SLOW_GROWTH / rate;
        }
    }

    private void growWindow(int maxInFlight) {
        double fastUntil = FAST_UNTIL * refusedWindow;
        if (window < fastUntil) {
            window = Math.max(window, Math.min(window + 1, fastUntil));
        } else {
            window += SLOW_GROWTH / window / (1 << slowdowns);
        }
        if (window > refusedWindow + 1) {
            slowdowns = 0;
        }
        window = Math.min(window, maxInFlight);
    }

    /// Takes in a capacity signal that is news.
    private void refused(PaceAnswer answer) {
        if (answer.isThrottled() && !speaksForTheReceiver(answer.ended())) {
            return;
        }
        cutAt = answer.ended();
        answers = 0;
        double most = window == 0 ? answer.maxInFlight() : window;
        double size = Math.max(1, Math.min(answer.onTheWire(), most));
        boolean isRefusedAgain = Math.abs(size - refusedWindow) <= 1;
        slowdowns = isRefusedAgain ? Math.min(slowdowns + 1, MAX_SLOWDOWNS) : 0;
        refusedWindow = size;
        window = Math.max(isRefusedAgain ? size - 1 : 1, Math.max(1, CUT * size));
        if (answer.isThrottled()) {
            rest(answer);
            lowerRate(answer);
        }
    }

    private boolean speaksForTheReceiver(Instant now) {
        return takesOthers(now)
                && (failuresInARow >= FAILURES_TO_CUT || Long.bitCount(answers) >= REFUSALS_TO_CUT);
    }

    private void rest(PaceAnswer answer) {
        var requested =
                answer.retryAfter().isZero()
                        ? MIN_REST.multipliedBy(1L << restDoublings)
                        : answer.retryAfter();
        restDoublings = Math.min(restDoublings + 1, MAX_DOUBLINGS);
        double pause = Math.min(toSeconds(requested), toSeconds(MAX_REST));
        var until = answer.ended().plus(seconds(pause * (1 + 0.1 * random.nextDouble())));
        rest = until.isAfter(rest) ? until : rest;
    }

    private void lowerRate(PaceAnswer answer) {
        var measured = takenPerSecond(answer.ended());
        if (measured.isPresent()) {
            refusedRate = measured.getAsDouble();
            rate = RATE_CUT * refusedRate;
            window = answer.maxInFlight(); // a rate is known: the window need not be small too
            refusedWindow = window;
            forgetTaken();
        } else if (rate > 0) {
            refusedRate = rate;
            rate *= RATE_CUT;
            window = answer.maxInFlight();
        } else {
            window = 1;
        }
    }

    // -- what succeeded, second by second

    private void countTaken(Instant now) {
        long second = now.getEpochSecond();
        if (takenFrom.equals(Instant.MAX) || second - takenSecond >= HISTORY_SECONDS) {
            forgetTaken();
            takenFrom = now;
            takenSecond = second;
        }
        for (; takenSecond < second; takenSecond++) {
            taken[Math.floorMod(takenSecond + 1, HISTORY_SECONDS)] = 0;
        }
        taken[Math.floorMod(second, HISTORY_SECONDS)]++;
    }

    private void forgetTaken() {
        Arrays.fill(taken, 0);
        takenFrom = Instant.MAX;
    }

    /// Returns how many attempts succeeded in a second, as far as this says what the destination
    /// takes: enough of them succeeded, and something always waited.
    private OptionalDouble takenPerSecond(Instant now) {
        for (var span : MeasuredSpan.values()) {
            var from = now.minusSeconds(span.seconds);
            from = from.isAfter(takenFrom) ? from : takenFrom;
            if (from.isAfter(now) || !idleAt.isBefore(from)) {
                continue;
            }
            int sum = 0;
            for (long second = from.getEpochSecond(); second <= takenSecond; second++) {
                sum += taken[Math.floorMod(second, HISTORY_SECONDS)];
            }
            if (sum >= span.least) {
                return OptionalDouble.of(sum / Math.max(1, toSeconds(Duration.between(from, now))));
            }
        }
        return OptionalDouble.empty();
    }

    /// How long is looked back for what succeeded, and how many must have.
    private enum MeasuredSpan {
        USUAL(10, 20),
        SLOW(30, 10);

        private final int seconds;
        private final int least;

        MeasuredSpan(int seconds, int least) {
            this.seconds = seconds;
            this.least = least;
        }
    }

    private static Duration seconds(double seconds) {
        return Duration.ofNanos((long) (seconds * 1e9));
    }

    private static double toSeconds(Duration duration) {
        return duration.toNanos() / 1e9;
    }
}
