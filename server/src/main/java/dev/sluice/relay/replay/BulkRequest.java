package dev.sluice.relay.replay;

import dev.sluice.platform.json.Form;
import dev.sluice.relay.DeliveryStatus;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;

/// What a bulk resend asks for.
///
/// @param since inclusive, on the event's arrival
/// @param until exclusive
record BulkRequest(
        UUID connection,
        Set<DeliveryStatus> statuses,
        Optional<Instant> since,
        Optional<Instant> until,
        boolean isDryRun) {

    private static final Map<String, DeliveryStatus> STATUSES =
            Map.of(
                    "succeeded", DeliveryStatus.SUCCEEDED,
                    "failed", DeliveryStatus.FAILED,
                    "exhausted", DeliveryStatus.EXHAUSTED);

    private static final int MOST_STATUSES = 10;
    private static final UUID NONE = new UUID(0, 0);

    /// @throws dev.sluice.platform.json.InvalidFields with every wrong field
    static BulkRequest read(Form form) {
        var connection = form.required("connection_id", form.uuid("connection_id"));
        var statuses = form.parsedList("statuses", 1, MOST_STATUSES, BulkRequest::status);
        var since = form.parsed("since", Form::timeOf).toOptional();
        var until = form.parsed("until", Form::timeOf).toOptional();
        var isDryRun = form.bool("dry_run");
        form.refuseNull("statuses", statuses);
        form.refuseNull("dry_run", isDryRun);
        if (since.isPresent() && until.isPresent() && since.get().isAfter(until.get())) {
            form.complain("since", "must not be after until.");
        }
        form.check();
        return new BulkRequest(
                connection.or(NONE),
                Set.copyOf(statuses.or(List.of(DeliveryStatus.EXHAUSTED))),
                since,
                until,
                isDryRun.or(false));
    }

    private static DeliveryStatus status(String text) {
        var status = STATUSES.get(text);
        if (status == null) {
            throw new IllegalArgumentException(
                    "must be one of " + String.join(", ", new TreeSet<>(STATUSES.keySet())) + ".");
        }
        return status;
    }
}
