package dev.sluice.engine.commit;

import dev.sluice.platform.db.DbException;

/// Decides how a group commit goes on after one of its transactions has failed. Each decision
/// depends only on the failure and on the state of the part of the batch that was being written.
///
/// While the database is temporarily unavailable, the part waits. If the database rejects the part
/// itself, the part is halved repeatedly, so that in the end only the item at fault is given up. A
/// part whose day has no partition is not halved but split by day: none of the day's items can be
/// written, and halving would take as many commits as there are items.
final class CommitPlan {

    /// A part is split if it fails again after this many failures of an unknown kind.
    static final int MAX_UNKNOWN_FAILURES = 5;

    /// A part is split by day if a partition is still missing after this many failures.
    static final int MAX_MISSING_DAY_FAILURES = 5;

    /// After this many failures to look up a refused part, the group commit gives up at the next
    /// failure that is not temporary.
    static final int MAX_LOOK_UP_FAILURES = 8;

    /// Why a transaction failed.
    enum CommitFailure {
        /// The transaction may or may not have been committed.
        CONNECTION_LOST,
        PASSING,
        /// A day has no partition.
        MISSING_DAY,
        /// A row with the same key exists.
        DUPLICATE,
        /// An item can never be written. An exception that does not come from the database is
        /// assumed to be caused by a bug in how an item is encoded.
        BAD_ROW,
        UNKNOWN;

        static CommitFailure of(Throwable cause) {
            if (!(cause instanceof DbException refused)) {
                return BAD_ROW;
            }
            if (refused.isMissingPartition()) {
                return MISSING_DAY;
            }
            if (refused.isDuplicate()) {
                return DUPLICATE;
            }
            return switch (refused.failure()) {
                case CONNECTION_LOST -> CONNECTION_LOST;
                case PASSING -> PASSING;
                case BAD_ROW -> BAD_ROW;
                case DAMAGED, UNKNOWN -> UNKNOWN;
            };
        }

        /// Whether the failure shows a problem with the database, not with an item.
        boolean isDatabaseFault() {
            return this != BAD_ROW && this != DUPLICATE;
        }
    }

    /// How the group commit goes on with the part.
    enum CommitStep {
        /// Write the part again after a pause. If the part is in doubt, it is looked up first.
        REPEAT,
        /// After a pause, look whether the part is stored; write it again only if it is not.
        LOOK_UP,
        /// Create the partitions for the part's days, then write the part again after a pause.
        MAKE_DAYS,
        HALVE,
        SPLIT_DAYS,
        /// Set the part aside, and try it again later.
        REST,
        GIVE_UP,
        /// Give the part up, but first look up each item, because an earlier commit may have stored
        /// it.
        RESOLVE,
        /// The part is stored: an earlier commit has become visible.
        ACCEPT
    }

    enum PartSize {
        SINGLE,
        ONE_DAY,
        SEVERAL_DAYS
    }

    /// Whether an earlier commit may have stored the part.
    enum CommitDoubt {
        /// It does not matter, because writing the items again has no effect.
        REPEATABLE,
        NONE,
        IN_DOUBT,
        /// The part is in doubt, but has been refused in the meantime. It is only looked up.
        REFUSED
    }

    /// Whether the part can be set aside.
    enum RestPlace {
        NONE,
        FREE,
        FULL
    }

    /// The state of a part before the failure.
    ///
    /// @param failures how often the part has failed
    /// @param missingDays how many of these failures were due to a missing partition
    /// @param isPart whether the part belongs to a batch that was split or set aside; it is then
    ///   tried only once more
    /// @param isDayGivenUp whether a partition for one of the part's days could not be created a
    ///   short time ago
    record PartState(
            int failures,
            int missingDays,
            boolean isPart,
            PartSize size,
            boolean isDayGivenUp,
            CommitDoubt doubt,
            RestPlace rest) {}

    private CommitPlan() {}

    static CommitStep next(CommitFailure failure, PartState state) {
        if (state.doubt() == CommitDoubt.REFUSED) {
            return switch (failure) {
                case CONNECTION_LOST, PASSING -> CommitStep.REPEAT;
                case MISSING_DAY, DUPLICATE, BAD_ROW, UNKNOWN ->
                        state.failures() < MAX_LOOK_UP_FAILURES
                                ? CommitStep.REPEAT
                                : CommitStep.GIVE_UP;
            };
        }
        return switch (failure) {
            case CONNECTION_LOST ->
                    state.doubt() == CommitDoubt.REPEATABLE
                            ? CommitStep.REPEAT
                            : CommitStep.LOOK_UP;
            case PASSING -> CommitStep.REPEAT;
            case MISSING_DAY -> afterMissingDay(state);
            case DUPLICATE ->
                    state.doubt() == CommitDoubt.IN_DOUBT ? CommitStep.ACCEPT : afterBadRow(state);
            case BAD_ROW -> afterBadRow(state);
            case UNKNOWN -> afterUnknown(state);
        };
    }

    private static CommitStep afterMissingDay(PartState state) {
        if (!state.isDayGivenUp()
                && state.missingDays() < (state.isPart() ? 1 : MAX_MISSING_DAY_FAILURES)) {
            return CommitStep.MAKE_DAYS;
        }
        return state.size() == PartSize.SEVERAL_DAYS ? CommitStep.SPLIT_DAYS : setAside(state);
    }

    private static CommitStep afterBadRow(PartState state) {
        if (state.failures() == 0) {
            return CommitStep.REPEAT;
        }
        return state.size() == PartSize.SINGLE ? giveUp(state) : CommitStep.HALVE;
    }

    private static CommitStep afterUnknown(PartState state) {
        if (state.failures() < (state.isPart() ? 1 : MAX_UNKNOWN_FAILURES)) {
            return CommitStep.REPEAT;
        }
        return state.size() == PartSize.SINGLE ? setAside(state) : CommitStep.HALVE;
    }

    private static CommitStep setAside(PartState state) {
        return switch (state.rest()) {
            case NONE -> giveUp(state);
            case FREE -> CommitStep.REST;
            case FULL -> CommitStep.REPEAT;
        };
    }

    private static CommitStep giveUp(PartState state) {
        return state.doubt() == CommitDoubt.IN_DOUBT ? CommitStep.RESOLVE : CommitStep.GIVE_UP;
    }
}
