package dev.sluice.relay.store;

import dev.sluice.relay.Attempt;
import dev.sluice.relay.DeliveryStatus;
import dev.sluice.relay.ErrorCode;
import dev.sluice.relay.Work;

import java.time.Instant;
import java.util.Optional;

/// What is to be written about a delivery after an attempt, or instead of one.
public sealed interface Settled {

    Work work();

    /// The attempt it comes of; empty when there was none.
    default Optional<Attempt> made() {
        return switch (this) {
            case Finished finished -> finished.attempt();
            case Retried retried -> Optional.of(retried.attempt());
            case Released _ -> Optional.empty();
        };
    }

    /// The same, due no earlier than `now`.
    default Settled dueFrom(Instant now) {
        return switch (this) {
            case Retried(var work, var attempt, var nextAt) when nextAt.isBefore(now) ->
                    new Retried(work, attempt, now);
            case Released(var work, var nextAt) when nextAt.isBefore(now) ->
                    new Released(work, now);
            case Finished _, Retried _, Released _ -> this;
        };
    }

    /// It ends.
    ///
    /// @param attempt the last one; empty when it ends without one
    /// @param reason why it ended, where that is not the attempt's own error
    record Finished(
            Work work,
            DeliveryStatus status,
            Optional<Attempt> attempt,
            Optional<ErrorCode> reason,
            Instant at)
            implements Settled {

        boolean isSuccess() {
            return status == DeliveryStatus.SUCCEEDED;
        }

        /// The same, its attempt numbered as the one that comes after `made` others.
        Finished after(int made) {
            return attempt.isEmpty() || attempt.get().number() == made + 1
                    ? this
                    : new Finished(
                            work, status, Optional.of(attempt.get().at(made + 1)), reason, at);
        }
    }

    /// It waits for another attempt.
    record Retried(Work work, Attempt attempt, Instant nextAt) implements Settled {}

    /// It goes back to waiting without an attempt.
    record Released(Work work, Instant nextAt) implements Settled {}
}
