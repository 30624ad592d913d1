package dev.sluice.relay.circuit;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/// Whether a destination may be tried. A value: it does no IO and reads no clock.
///
/// | from | when | to | also |
/// | --- | --- | --- | --- |
/// | closed | 5 failures in a row | open | the first cooldown begins |
/// | open | its cooldown has passed and somebody claims the probe | half open | one attempt is made |
/// | half open | the probe fails | open | twice the cooldown, up to the longest |
/// | half open | the probe was not sent, and is given back | open | due at once |
/// | half open | the probe's time is up | half open | whoever claims it next has the probe |
/// | any | an answer that proves it reachable | closed | failures and cooldown are forgotten |
///
/// The generation counts openings and claims. An attempt speaks for the generation it started
/// under: of those that were under way when the circuit opened, none counts again, and what a probe
/// came to that took too long is not taken for what the next one came to. A proof that the
/// destination can be reached counts whatever its generation.
///
/// @param failures in a row, those of probes included
/// @param cooldown the one that runs or ran last; zero while nothing was wrong
/// @param reopenAt when a probe may be claimed first; empty while closed
/// @param prober who has the probe; empty unless half open
public record Circuit(
        State state,
        int failures,
        Duration cooldown,
        int generation,
        Optional<Instant> reopenAt,
        Optional<Prober> prober) {

    /// Whether attempts are made: as many as may be, none, one.
    public enum State {
        CLOSED,
        OPEN,
        HALF_OPEN
    }

    /// @param epoch of the node that makes the attempt
    /// @param until when the next may claim it, should nothing have been heard of this one
    public record Prober(long epoch, Instant until) {}

    static final int MOST_FAILURES = 5;

    private static final Circuit HEALTHY =
            new Circuit(State.CLOSED, 0, Duration.ZERO, 0, Optional.empty(), Optional.empty());

    /// Of a destination that never failed.
    public static Circuit healthy() {
        return HEALTHY;
    }

    public boolean isClosed() {
        return state == State.CLOSED;
    }

    /// Nothing is wrong, and nothing was since it was last reached.
    public boolean isHealthy() {
        return isClosed() && failures == 0;
    }

    /// When the next probe may be claimed; empty while closed.
    public Optional<Instant> nextTryAt() {
        return switch (state) {
            case CLOSED -> Optional.empty();
            case OPEN -> reopenAt;
            case HALF_OPEN -> prober.map(Prober::until);
        };
    }

    /// Whether a probe may be claimed.
    public boolean isDue(Instant now) {
        return nextTryAt().filter(at -> !at.isAfter(now)).isPresent();
    }

    /// @param started the generation under which the attempt that failed was started
    /// @param now when it failed
    public Circuit afterFailure(int started, Instant now, Cooldowns cooldowns) {
        if (started < generation) {
            return this;
        }
        return switch (state) {
            case CLOSED ->
                    failures + 1 < MOST_FAILURES
                            ? new Circuit(
                                    State.CLOSED,
                                    failures + 1,
                                    cooldown,
                                    generation,
                                    reopenAt,
                                    prober)
                            : open(now, cooldowns.first());
            case OPEN -> this; // nothing is sent under this generation
            case HALF_OPEN -> open(now, cooldowns.after(cooldown));
        };
    }

    private Circuit open(Instant now, Duration next) {
        return new Circuit(
                State.OPEN,
                failures + 1,
                next,
                generation + 1,
                Optional.of(now.plus(next)),
                Optional.empty());
    }

    /// After any answer that proves the destination reachable.
    public Circuit afterSuccess() {
        return isHealthy()
                ? this
                : new Circuit(
                        State.CLOSED,
                        0,
                        Duration.ZERO,
                        generation,
                        Optional.empty(),
                        Optional.empty());
    }

    /// With the probe claimed, under a generation of its own; empty when there is none to claim.
    public Optional<Circuit> claimProbe(long epoch, Instant now, Instant until) {
        return isDue(now)
                ? Optional.of(
                        new Circuit(
                                State.HALF_OPEN,
                                failures,
                                cooldown,
                                generation + 1,
                                reopenAt,
                                Optional.of(new Prober(epoch, until))))
                : Optional.empty();
    }

    /// Whether the probe claimed under that generation is the one that is waited for.
    public boolean isProbe(int claimed) {
        return state == State.HALF_OPEN && generation == claimed;
    }

    /// After the probe claimed under that generation was not sent: due at once for the next.
    public Circuit giveBack(int claimed) {
        return isProbe(claimed)
                ? new Circuit(
                        State.OPEN, failures, cooldown, generation, reopenAt, Optional.empty())
                : this;
    }

    /// The same under a generation that is no lower than `least`.
    Circuit atLeast(int least) {
        return generation >= least
                ? this
                : new Circuit(state, failures, cooldown, least, reopenAt, prober);
    }
}
