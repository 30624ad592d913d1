package dev.sluice.relay.replay;

import dev.sluice.account.workspace.WorkspaceId;
import dev.sluice.platform.json.JsonObject;
import dev.sluice.relay.DeliveryStatus;

import java.time.Instant;
import java.util.Comparator;
import java.util.Locale;
import java.util.Optional;
import java.util.UUID;

/// A bulk resend that is a job.
///
/// @param selection from where it stands
/// @param since as it was asked for
/// @param planned how many resends it came to when it was asked for; where that is not exact, at
///   least how many it comes to
/// @param isExact false while its selection was not seen whole
/// @param skipped events that were resent by somebody else meanwhile, or are gone
/// @param reason why it stands as it does, where that needs one
/// @param createdAt its deliveries have the same; when it was asked for, unless another job of its
///   connection was made later than that
record Replay(
        UUID id,
        WorkspaceId workspace,
        Selection selection,
        Optional<Instant> since,
        Optional<Instant> until,
        Status status,
        long planned,
        boolean isExact,
        long created,
        long skipped,
        Optional<String> reason,
        Instant createdAt,
        Instant updatedAt,
        Optional<Instant> finishedAt) {

    enum Status {
        RUNNING,
        COMPLETED,
        CANCELLED,
        FAILED;

        String text() {
            return name().toLowerCase(Locale.ROOT);
        }

        static Status of(String text) {
            return valueOf(text.toUpperCase(Locale.ROOT));
        }
    }

    JsonObject json() {
        return new JsonObject()
                .put("id", id)
                .put("connection_id", selection.connection())
                .put(
                        "statuses",
                        selection.statuses().stream()
                                .sorted(Comparator.naturalOrder())
                                .map(DeliveryStatus::text)
                                .toList())
                .put("since", since)
                .put("until", until)
                .put("status", status.text())
                .put("planned", planned)
                .put("is_exact", isExact)
                .put("created", created)
                .put("skipped", skipped)
                .put("reason", reason)
                .put("created_at", createdAt)
                .put("updated_at", updatedAt)
                .put("finished_at", finishedAt);
    }
}
