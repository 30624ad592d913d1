package dev.sluice.engine.settle;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/// The circuit breaker of one destination: decides whether attempts at the destination may be made.
/// [SharedCircuits] shares the circuits of all destinations between nodes. Immutable; does no I/O
/// and reads no clock.
///
/// | from | when | to | also |
/// | --- | --- | --- | --- |
/// | closed | 5 failures in a row | open | the first cooldown begins |
/// | open | its cooldown has passed and a node claims the probe | half open | one attempt is made |
/// | half open | the probe fails | open | the cooldown doubles, up to the maximum |
/// | half open | the probe was not sent and is given back | open | a probe is due immediately |
/// | half open | the claim has expired and a node claims again | half open | one attempt is made |
/// | any | a response proves the destination reachable | closed | failures and cooldown are reset |
///
/// A probe is the one attempt that tests whether the destination works again. The generation is a
/// number that grows each time the circuit opens and each time a probe is claimed. A failure counts
/// only if its attempt started under the current generation. Failures of attempts that were in
/// progress when the circuit opened are therefore ignored, and so is the late failure of an earlier
/// probe. A response that proves the destination reachable counts under any generation.
///
/// The number of failures that open a circuit and the default cooldowns (see [CooldownBackoff])
/// come from the specification.
///
/// @param failures the number of failures in a row, including failed probes
/// @param cooldown the current or most recent cooldown; zero if there was none since the last reset
/// @param reopenAt when the first probe may be claimed; empty while closed
/// @param probeClaim the current claim to the probe; empty unless half open
public record CircuitBreaker(
        CircuitState state,
        int failures,
        Duration cooldown,
        int generation,
        Optional<Instant> reopenAt,
        Optional<ProbeClaim> probeClaim) {

    /// The state of a circuit, which decides how many attempts may be made: all when closed, none
    /// when open, one when half open.
    public enum CircuitState {
        CLOSED,
        OPEN,
        HALF_OPEN
    }

    /// A node's claim to the probe.
    ///
    /// @param epoch identifies the node that makes the attempt (see [dev.sluice.engine.Lease])
    /// @param until the time from which another node may claim the probe, if this node has not
    ///   reported a result by then
    public record ProbeClaim(long epoch, Instant until) {}

    static final int FAILURES_TO_OPEN = 5;

    /// The maximum delay of a probe is the cooldown divided by this number (see [#maxProbeDelay]).
    private static final int PROBE_DELAY_DIVISOR = 10;

    private static final CircuitBreaker HEALTHY =
            new CircuitBreaker(
                    CircuitState.CLOSED, 0, Duration.ZERO, 0, Optional.empty(), Optional.empty());

    /// Returns the circuit of a new destination: closed, without failures.
    public static CircuitBreaker healthy() {
        return HEALTHY;
    }

    public boolean isClosed() {
        return state == CircuitState.CLOSED;
    }

    /// Whether the circuit is closed with no failure since the destination was last reached.
    public boolean isHealthy() {
        return isClosed() && failures == 0;
    }

    /// Returns when the next probe may be claimed, or empty while the circuit is closed.
    public Optional<Instant> nextTryAt() {
        return switch (state) {
            case CLOSED -> Optional.empty();
            case OPEN -> reopenAt;
            case HALF_OPEN -> probeClaim.map(ProbeClaim::until);
        };
    }

    /// Returns the maximum delay between the time when a probe is due and the time when it is sent.
    /// Lanes are delayed by different fractions of this maximum, so that circuits that opened
    /// together do not send their probes together. The due time ([#nextTryAt]) does not include the
    /// delay.
    public Duration maxProbeDelay() {
        return cooldown.dividedBy(PROBE_DELAY_DIVISOR);
    }

    public boolean isProbeDue(Instant now) {
        return nextTryAt().filter(at -> !at.isAfter(now)).isPresent();
    }

    /// Corrects a circuit after the clock was set back. If the next probe is due more than
    /// `longest` after `now`, returns a copy whose next probe is due at `now`. Otherwise, returns
    /// this circuit.
    ///
    /// @param longest the maximum time that a circuit in this state waits for its next probe
    CircuitBreaker notLaterThan(Instant now, Duration longest) {
        var latest = now.plus(longest);
        return nextTryAt().filter(at -> at.isAfter(latest)).isEmpty()
                ? this
                : new CircuitBreaker(
                        state,
                        failures,
                        cooldown,
                        generation,
                        reopenAt.map(_ -> now),
                        probeClaim.map(claim -> new ProbeClaim(claim.epoch(), now)));
    }

    /// Returns the circuit as it is after a failed attempt.
    ///
    /// @param startedGeneration the generation under which the failed attempt started
    /// @param now when the attempt failed
    public CircuitBreaker afterFailure(
            int startedGeneration, Instant now, CooldownBackoff cooldowns) {
        if (startedGeneration < generation) {
            return this;
        }
        return switch (state) {
            case CLOSED ->
                    failures + 1 < FAILURES_TO_OPEN
                            ? new CircuitBreaker(
                                    CircuitState.CLOSED,
                                    failures + 1,
                                    cooldown,
                                    generation,
                                    reopenAt,
                                    probeClaim)
                            : open(now, cooldowns.first());
            case OPEN -> this; // nothing is sent under this generation
            case HALF_OPEN -> open(now, cooldowns.after(cooldown));
        };
    }

    private CircuitBreaker open(Instant now, Duration next) {
        return new CircuitBreaker(
                CircuitState.OPEN,
                failures + 1,
                next,
                generation + 1,
                Optional.of(now.plus(next)),
                Optional.empty());
    }

    /// Returns the circuit after a response that proves the destination reachable.
    public CircuitBreaker afterReached() {
        return isHealthy()
                ? this
                : new CircuitBreaker(
                        CircuitState.CLOSED,
                        0,
                        Duration.ZERO,
                        generation,
                        Optional.empty(),
                        Optional.empty());
    }

    /// Returns the circuit with the probe claimed under a new generation, or empty if no probe is
    /// due.
    public Optional<CircuitBreaker> claimProbe(long epoch, Instant now, Instant until) {
        return isProbeDue(now)
                ? Optional.of(
                        new CircuitBreaker(
                                CircuitState.HALF_OPEN,
                                failures,
                                cooldown,
                                generation + 1,
                                reopenAt,
                                Optional.of(new ProbeClaim(epoch, until))))
                : Optional.empty();
    }

    /// Whether the probe that was claimed under the generation `claimed` is still the current
    /// probe.
    public boolean isProbe(int claimed) {
        return state == CircuitState.HALF_OPEN && generation == claimed;
    }

    /// Returns the circuit after the probe that was claimed under the generation `claimed` was
    /// given back unsent. The next probe is then due immediately.
    public CircuitBreaker giveBack(int claimed) {
        return isProbe(claimed)
                ? new CircuitBreaker(
                        CircuitState.OPEN,
                        failures,
                        cooldown,
                        generation,
                        reopenAt,
                        Optional.empty())
                : this;
    }

    /// Returns this circuit, with its generation raised to `minimum` if it is lower.
    CircuitBreaker withMinGeneration(int minimum) {
        return generation >= minimum
                ? this
                : new CircuitBreaker(state, failures, cooldown, minimum, reopenAt, probeClaim);
    }
}
