package dev.sluice.engine.commit;

import dev.sluice.engine.Attempt;
import dev.sluice.engine.DeliveryStatus;
import dev.sluice.engine.ErrorCode;
import dev.sluice.engine.UnfinishedDelivery;

import java.time.Instant;
import java.util.Optional;

/// The new state of one delivery, for [ResultStore] to write to the database.
///
/// Most results come from an attempt. Some do not: a delivery can also expire, or be released
/// without being sent.
public sealed interface DeliveryResult {

    UnfinishedDelivery delivery();

    /// Returns the attempt that produced this result, or empty if there was none.
    default Optional<Attempt> attemptMade() {
        return switch (this) {
            case FinalResult finished -> finished.attempt();
            case RetryResult retried -> Optional.of(retried.attempt());
            case ReleaseResult _ -> Optional.empty();
        };
    }

    /// Returns the same result, but moves its due time to `now` if the due time is earlier.
    default DeliveryResult notDueBefore(Instant now) {
        return switch (this) {
            case RetryResult(var delivery, var attempt, var nextAt) when nextAt.isBefore(now) ->
                    new RetryResult(delivery, attempt, now);
            case ReleaseResult(var delivery, var nextAt) when nextAt.isBefore(now) ->
                    new ReleaseResult(delivery, now);
            case FinalResult _, RetryResult _, ReleaseResult _ -> this;
        };
    }

    /// Returns the same result, but with at most the first 1,024 characters of the response.
    default DeliveryResult withShortBody() {
        return switch (this) {
            case FinalResult(var delivery, var status, var attempt, var reason, var finishedAt) ->
                    new FinalResult(
                            delivery,
                            status,
                            attempt.map(Attempt::withShortBody),
                            reason,
                            finishedAt);
            case RetryResult(var delivery, var attempt, var nextAt) ->
                    new RetryResult(delivery, attempt.withShortBody(), nextAt);
            case ReleaseResult _ -> this;
        };
    }

    /// The delivery has ended.
    ///
    /// @param attempt the last attempt; empty when the delivery ends without one
    /// @param reason why the delivery ended; empty if its status or the attempt's error already
    ///   says why
    record FinalResult(
            UnfinishedDelivery delivery,
            DeliveryStatus status,
            Optional<Attempt> attempt,
            Optional<ErrorCode> reason,
            Instant finishedAt)
            implements DeliveryResult {

        boolean isSuccess() {
            return status == DeliveryStatus.SUCCEEDED;
        }

        /// Returns the same result, with its attempt numbered `made + 1`.
        FinalResult renumberedAfter(int made) {
            return attempt.isEmpty() || attempt.get().number() == made + 1
                    ? this
                    : new FinalResult(
                            delivery,
                            status,
                            Optional.of(attempt.get().withNumber(made + 1)),
                            reason,
                            finishedAt);
        }
    }

    /// The attempt failed, and the delivery waits for another one.
    record RetryResult(UnfinishedDelivery delivery, Attempt attempt, Instant nextAt)
            implements DeliveryResult {}

    /// No attempt was made, and the delivery waits again.
    record ReleaseResult(UnfinishedDelivery delivery, Instant nextAt) implements DeliveryResult {}
}
