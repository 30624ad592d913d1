package dev.sluice.features.recovery;

import dev.sluice.engine.DeliveryStatus;
import dev.sluice.platform.json.FieldReader;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

/// The body of a bulk resend request.
///
/// @param statuses any of `succeeded`, `failed` and `exhausted`; only `exhausted` if the request
///   lists none
record BulkResendRequest(
        UUID connection, Set<DeliveryStatus> statuses, ArrivalPeriod period, boolean isDryRun) {

    /// The period in which the events arrived.
    ///
    /// @param since the start of the period, inclusive; empty for no limit
    /// @param until the end of the period, exclusive; empty for no limit
    record ArrivalPeriod(Optional<Instant> since, Optional<Instant> until) {}

    private static final Map<String, DeliveryStatus> STATUSES =
            Map.of(
                    "succeeded", DeliveryStatus.SUCCEEDED,
                    "failed", DeliveryStatus.FAILED,
                    "exhausted", DeliveryStatus.EXHAUSTED);

    private static final int MAX_STATUSES = 10;
    private static final UUID INVALID_CONNECTION = new UUID(0, 0);

    /// Reads the request from its JSON fields.
    ///
    /// @throws dev.sluice.platform.json.InvalidFieldsException if any field is invalid; the
    ///   exception lists all invalid fields
    static BulkResendRequest read(FieldReader input) {
        var connection = input.required("connection_id", input.uuid("connection_id"));
        var statuses = input.listOf("statuses", 0, MAX_STATUSES, STATUSES);
        var since = input.parsed("since", FieldReader::parseTime).toOptional();
        var until = input.parsed("until", FieldReader::parseTime).toOptional();
        var isDryRun = input.bool("dry_run");
        if (since.isPresent() && until.isPresent() && since.get().isAfter(until.get())) {
            input.addError("since", "must not be after until.");
        }
        input.check();
        var asked = Set.copyOf(statuses.orElse(List.of()));
        return new BulkResendRequest(
                connection.orElse(INVALID_CONNECTION),
                asked.isEmpty() ? Set.of(DeliveryStatus.EXHAUSTED) : asked,
                new ArrivalPeriod(since, until),
                isDryRun.orElse(false));
    }
}
