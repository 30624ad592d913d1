package dev.sluice.features.recovery;

import dev.sluice.platform.json.FieldReader;

import java.util.Optional;

/// The body of a request to resend dead letters.
///
/// @param maxCreated the maximum number of resends to create; empty for no limit
/// @param perSecond the maximum number of resends to create per second; empty for no limit
record DeadLetterResendRequest(
        DeadLetterCriteria criteria,
        Optional<Long> maxCreated,
        Optional<Integer> perSecond,
        boolean isDryRun) {

    private static final int MAX_LIMIT = 1_000_000_000;

    /// Reads the request from its JSON fields.
    ///
    /// @throws dev.sluice.platform.json.InvalidFieldsException if any field is invalid; the
    ///   exception lists all invalid fields
    static DeadLetterResendRequest read(FieldReader input) {
        var criteria = DeadLetterCriteria.read(input, false);
        var limit = input.integer("limit", 1, MAX_LIMIT).toOptional().map(Integer::longValue);
        var perSecond =
                input.integer("per_second", ReplayScope.MIN_PER_SECOND, ReplayScope.MAX_PER_SECOND)
                        .toOptional();
        var isDryRun = input.bool("dry_run");
        input.check();
        return new DeadLetterResendRequest(criteria, limit, perSecond, isDryRun.orElse(false));
    }
}
