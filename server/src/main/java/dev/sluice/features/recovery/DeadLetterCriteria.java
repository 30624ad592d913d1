package dev.sluice.features.recovery;

import dev.sluice.engine.CauseFilter;
import dev.sluice.engine.DeliveryId;
import dev.sluice.engine.DeliveryStatus;
import dev.sluice.engine.ErrorCode;
import dev.sluice.engine.EventId;
import dev.sluice.platform.id.IdRange;
import dev.sluice.platform.id.Uuid7;
import dev.sluice.platform.json.FieldReader;

import java.time.Instant;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.Function;
import java.util.stream.Collectors;

/// The criteria by which a request body selects dead letters. They are a subset of the filters that
/// the dead-letter lists accept: there is no text search, and only `failed` and `exhausted` can be
/// selected.
///
/// Equal criteria must have the same `toString` on every node, because a [DismissalCursor] includes
/// a checksum of it.
///
/// @param statuses `failed`, `exhausted` or both
/// @param receivedAfter the event's earliest arrival time, inclusive
/// @param receivedBefore the event's latest arrival time, exclusive
public record DeadLetterCriteria(
        Set<DeliveryStatus> statuses,
        Optional<UUID> source,
        Optional<UUID> connection,
        Optional<UUID> destination,
        Optional<UUID> event,
        CauseFilter cause,
        Optional<Instant> receivedAfter,
        Optional<Instant> receivedBefore) {

    private static final Map<String, DeliveryStatus> STATUSES =
            Map.of(
                    DeliveryStatus.FAILED.text(), DeliveryStatus.FAILED,
                    DeliveryStatus.EXHAUSTED.text(), DeliveryStatus.EXHAUSTED);

    private static final Map<String, ErrorCode> ERROR_CODES =
            Arrays.stream(ErrorCode.values())
                    .collect(Collectors.toMap(ErrorCode::text, Function.identity()));

    private static final int MAX_STATUSES = 10;
    private static final int MIN_RESPONSE_STATUS = 100;
    private static final int MAX_RESPONSE_STATUS = 999;

    /// Reads the criteria from a request body. Adds errors to `input`; the caller must then call
    /// `input.check()`, which throws an exception if there are any.
    ///
    /// @param resolved the only value that the field `resolved` may have
    public static DeadLetterCriteria read(FieldReader input, boolean resolved) {
        var statuses = input.listOf("status", 0, MAX_STATUSES, STATUSES);
        var asked = input.bool("resolved");
        if (asked.orElse(resolved) != resolved) {
            input.addError(
                    "resolved",
                    resolved
                            ? "must be true: only dismissed dead letters can be undismissed."
                            : "must be false: a resolved dead letter needs nothing more. Undismiss"
                                    + " it first if it was dismissed.");
        }
        var after = input.parsed("received_after", FieldReader::parseTime).toOptional();
        var before = input.parsed("received_before", FieldReader::parseTime).toOptional();
        if (after.isPresent() && before.isPresent() && after.get().isAfter(before.get())) {
            input.addError("received_after", "must not be after received_before.");
        }
        return new DeadLetterCriteria(
                Collections.unmodifiableSet(
                        EnumSet.copyOf(
                                statuses.toOptional()
                                        .filter(listed -> !listed.isEmpty())
                                        .orElse(
                                                List.of(
                                                        DeliveryStatus.FAILED,
                                                        DeliveryStatus.EXHAUSTED)))),
                input.uuid("source_id").toOptional(),
                input.uuid("connection_id").toOptional(),
                input.uuid("destination_id").toOptional(),
                input.uuid("event_id").toOptional(),
                new CauseFilter(
                        input.oneOf("error_code", ERROR_CODES).toOptional(),
                        input.integer("response_status", MIN_RESPONSE_STATUS, MAX_RESPONSE_STATUS)
                                .toOptional()),
                after,
                before);
    }

    public Optional<ErrorCode> code() {
        return cause.code();
    }

    public Optional<Integer> responseStatus() {
        return cause.responseStatus();
    }

    /// Returns the range of delivery ids that the criteria allow.
    ///
    /// @param since events received before this time have expired
    public IdRange ids(Instant since) {
        var range =
                IdRange.between(since, Uuid7.MAX_TIME)
                        .intersect(
                                IdRange.between(
                                        receivedAfter.orElse(since),
                                        receivedBefore.orElse(Uuid7.MAX_TIME)));
        return event.map(id -> range.intersect(idsOf(new EventId(id)))).orElse(range);
    }

    private static IdRange idsOf(EventId event) {
        UUID last = DeliveryId.maxIdOf(event);
        return new IdRange(
                event.value(),
                new UUID(last.getMostSignificantBits(), last.getLeastSignificantBits() + 1));
    }
}
