package dev.sluice.features.recovery;

import dev.sluice.account.workspace.WorkspaceId;
import dev.sluice.engine.DeliveryStatus;
import dev.sluice.engine.ErrorCode;
import dev.sluice.platform.json.JsonObject;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.UUID;

/// A bulk resend that runs as a job.
///
/// @param selection the current connection's events that the job has not processed yet
/// @param period the arrival period given in the request
/// @param createdAt the creation time of the job and of the deliveries that it creates; about the
///   time of the request (see [ReplayStore#nextCreatedAt])
record Replay(
        UUID id,
        WorkspaceId workspace,
        ResendSelection selection,
        ReplayScope scope,
        BulkResendRequest.ArrivalPeriod period,
        ReplayProgress progress,
        ReplayState state,
        Instant createdAt) {

    /// The progress of a job.
    ///
    /// @param planned the number of resends that the job is expected to create; a lower bound
    ///   unless `isExact`
    /// @param isExact whether `planned` is exact; always true once the job is completed
    /// @param created the number of resends created so far
    /// @param skipped the number of events that were not resent, for example because a user or
    ///   another job resent them, they no longer exist, or they have no ordinal left for another
    ///   delivery
    record ReplayProgress(long planned, boolean isExact, long created, long skipped) {}

    /// A job's status, the reason if the job is waiting or has failed, when the job last changed,
    /// and when it finished.
    record ReplayState(
            ReplayStatus status,
            Optional<String> reason,
            Instant updatedAt,
            Optional<Instant> finishedAt) {}

    enum ReplayStatus {
        RUNNING,
        PAUSED,
        COMPLETED,
        CANCELLED,
        FAILED;

        String text() {
            return name().toLowerCase(Locale.ROOT);
        }

        static ReplayStatus of(String text) {
            return valueOf(text.toUpperCase(Locale.ROOT));
        }
    }

    /// Returns a new job that has not created any resends yet.
    static Replay started(
            UUID id,
            WorkspaceId workspace,
            ResendSelection selection,
            BulkResendRequest.ArrivalPeriod period,
            ResendEstimate estimate,
            Instant createdAt) {
        return started(
                id,
                workspace,
                selection,
                ReplayScope.of(selection.connection()),
                period,
                estimate,
                createdAt);
    }

    static Replay started(
            UUID id,
            WorkspaceId workspace,
            ResendSelection selection,
            ReplayScope scope,
            BulkResendRequest.ArrivalPeriod period,
            ResendEstimate estimate,
            Instant createdAt) {
        return new Replay(
                id,
                workspace,
                selection,
                scope,
                period,
                new ReplayProgress(estimate.count(), estimate.isExact(), 0, 0),
                new ReplayState(
                        ReplayStatus.RUNNING, Optional.empty(), createdAt, Optional.empty()),
                createdAt);
    }

    /// Returns the creation time to record for a job: `now` truncated to milliseconds, plus
    /// microseconds derived from the id. The job's deliveries get the same creation time, which
    /// distinguishes them from other resends on the connection.
    static Instant creationTime(UUID id, Instant now) {
        long micros = Math.floorMod(id.getLeastSignificantBits(), 1_000L);
        return now.truncatedTo(ChronoUnit.MILLIS).plus(micros, ChronoUnit.MICROS);
    }

    JsonObject json() {
        return new JsonObject()
                .put("id", id)
                .put(
                        "connection_id",
                        Optional.of(scope.connections())
                                .filter(all -> all.size() == 1)
                                .map(List::getFirst))
                .put("connection_ids", scope.connections())
                .put(
                        "statuses",
                        selection.statuses().stream()
                                .sorted(Comparator.naturalOrder())
                                .map(DeliveryStatus::text)
                                .toList())
                .put(
                        "error_code",
                        selection.condition().flatMap(FailureCondition::code).map(ErrorCode::text))
                .put(
                        "response_status",
                        selection.condition().flatMap(FailureCondition::responseStatus))
                .put("limit", scope.maxCreated())
                .put("per_second", scope.perSecond())
                .put("since", period.since())
                .put("until", period.until())
                .put("status", state.status().text())
                .put("planned", progress.planned())
                .put("is_exact", progress.isExact())
                .put("created", progress.created())
                .put("skipped", progress.skipped())
                .put("reason", state.reason())
                .put("created_at", createdAt)
                .put("updated_at", state.updatedAt())
                .put("finished_at", state.finishedAt());
    }
}
