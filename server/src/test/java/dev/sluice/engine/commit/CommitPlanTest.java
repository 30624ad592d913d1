package dev.sluice.engine.commit;

import static dev.sluice.engine.commit.CommitPlan.CommitDoubt.IN_DOUBT;
import static dev.sluice.engine.commit.CommitPlan.CommitDoubt.REFUSED;
import static dev.sluice.engine.commit.CommitPlan.CommitDoubt.REPEATABLE;
import static dev.sluice.engine.commit.CommitPlan.CommitFailure.BAD_ROW;
import static dev.sluice.engine.commit.CommitPlan.CommitFailure.CONNECTION_LOST;
import static dev.sluice.engine.commit.CommitPlan.CommitFailure.DUPLICATE;
import static dev.sluice.engine.commit.CommitPlan.CommitFailure.MISSING_DAY;
import static dev.sluice.engine.commit.CommitPlan.CommitFailure.PASSING;
import static dev.sluice.engine.commit.CommitPlan.CommitFailure.UNKNOWN;
import static dev.sluice.engine.commit.CommitPlan.PartSize.SEVERAL_DAYS;
import static dev.sluice.engine.commit.CommitPlan.PartSize.SINGLE;
import static dev.sluice.engine.commit.CommitPlan.RestPlace.FREE;
import static dev.sluice.engine.commit.CommitPlan.RestPlace.FULL;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.engine.commit.CommitPlan.CommitDoubt;
import dev.sluice.engine.commit.CommitPlan.CommitFailure;
import dev.sluice.engine.commit.CommitPlan.CommitStep;
import dev.sluice.engine.commit.CommitPlan.PartSize;
import dev.sluice.engine.commit.CommitPlan.PartState;
import dev.sluice.engine.commit.CommitPlan.RestPlace;
import dev.sluice.platform.db.DbRefusals;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;

/// Every failure in every state, with the step that follows. [#PLAN] is a table: the first row that
/// matches decides.
class CommitPlanTest {

    /// @param at says in words in which state the row applies
    private record Row(
            Set<CommitFailure> failures, String at, Predicate<PartState> applies, CommitStep step) {

        boolean matches(CommitFailure failure, PartState state) {
            return failures.contains(failure) && applies.test(state);
        }
    }

    private static Row row(
            Set<CommitFailure> failures, String at, Predicate<PartState> applies, CommitStep step) {
        return new Row(failures, at, applies, step);
    }

    private static final Set<CommitFailure> PASSING_ONES = EnumSet.of(CONNECTION_LOST, PASSING);
    private static final Set<CommitFailure> LASTING_ONES =
            EnumSet.of(MISSING_DAY, DUPLICATE, BAD_ROW, UNKNOWN);
    private static final Set<CommitFailure> BAD_ONES = EnumSet.of(DUPLICATE, BAD_ROW);

    private static final List<Row> PLAN =
            List.of(
                    row(
                            PASSING_ONES,
                            "refused, looked up",
                            state -> state.doubt() == REFUSED,
                            CommitStep.REPEAT),
                    row(
                            LASTING_ONES,
                            "refused, looked up, up to 8 failures",
                            state -> state.doubt() == REFUSED && state.failures() < 8,
                            CommitStep.REPEAT),
                    row(
                            LASTING_ONES,
                            "refused, looked up, later",
                            state -> state.doubt() == REFUSED,
                            CommitStep.GIVE_UP),
                    row(
                            Set.of(CONNECTION_LOST),
                            "repeatable",
                            state -> state.doubt() == REPEATABLE,
                            CommitStep.REPEAT),
                    row(Set.of(CONNECTION_LOST), "any other", _ -> true, CommitStep.LOOK_UP),
                    row(Set.of(PASSING), "any", _ -> true, CommitStep.REPEAT),
                    row(
                            Set.of(DUPLICATE),
                            "in doubt",
                            state -> state.doubt() == IN_DOUBT,
                            CommitStep.ACCEPT),
                    row(
                            Set.of(MISSING_DAY),
                            "whole batch, up to 5 such failures",
                            state ->
                                    !state.isDayGivenUp()
                                            && !state.isPart()
                                            && state.missingDays() < 5,
                            CommitStep.MAKE_DAYS),
                    row(
                            Set.of(MISSING_DAY),
                            "part, first such failure",
                            state ->
                                    !state.isDayGivenUp()
                                            && state.isPart()
                                            && state.missingDays() == 0,
                            CommitStep.MAKE_DAYS),
                    row(
                            Set.of(MISSING_DAY),
                            "later, several days",
                            state -> state.size() == SEVERAL_DAYS,
                            CommitStep.SPLIT_DAYS),
                    row(
                            BAD_ONES,
                            "first failure",
                            state -> state.failures() == 0,
                            CommitStep.REPEAT),
                    row(
                            Set.of(UNKNOWN),
                            "whole batch, up to 5 failures",
                            state -> !state.isPart() && state.failures() < 5,
                            CommitStep.REPEAT),
                    row(
                            Set.of(UNKNOWN),
                            "part, first failure",
                            state -> state.isPart() && state.failures() == 0,
                            CommitStep.REPEAT),
                    row(
                            EnumSet.of(DUPLICATE, BAD_ROW, UNKNOWN),
                            "later, several items",
                            state -> state.size() != SINGLE,
                            CommitStep.HALVE),
                    row(
                            EnumSet.of(MISSING_DAY, UNKNOWN),
                            "later, can be set aside",
                            state -> state.rest() == FREE,
                            CommitStep.REST),
                    row(
                            EnumSet.of(MISSING_DAY, UNKNOWN),
                            "later, too many set aside",
                            state -> state.rest() == FULL,
                            CommitStep.REPEAT),
                    row(
                            LASTING_ONES,
                            "later, in doubt",
                            state -> state.doubt() == IN_DOUBT,
                            CommitStep.RESOLVE),
                    row(LASTING_ONES, "later", _ -> true, CommitStep.GIVE_UP));

    @Test
    void each_failure_in_each_state_leads_to_the_step_in_the_table() {
        var uses = new TreeMap<Integer, Integer>();
        for (var failure : CommitFailure.values()) {
            for (var state : states()) {
                var row =
                        PLAN.stream()
                                .filter(one -> one.matches(failure, state))
                                .findFirst()
                                .orElseThrow();
                uses.merge(PLAN.indexOf(row), 1, Integer::sum);
                assertThat(CommitPlan.next(failure, state))
                        .as("%s: %s, %s", failure, row.at(), state)
                        .isEqualTo(row.step());
            }
        }
        assertThat(uses).as("each row is used").hasSize(PLAN.size());
    }

    private static List<PartState> states() {
        var states = new ArrayList<PartState>();
        for (var doubt : CommitDoubt.values()) {
            for (var size : PartSize.values()) {
                for (var rest : RestPlace.values()) {
                    for (boolean isPart : new boolean[] {false, true}) {
                        for (boolean isDayGivenUp : new boolean[] {false, true}) {
                            for (int failures = 0; failures < 10; failures++) {
                                for (int missing = 0; missing <= failures; missing++) {
                                    states.add(
                                            new PartState(
                                                    failures,
                                                    missing,
                                                    isPart,
                                                    size,
                                                    isDayGivenUp,
                                                    doubt,
                                                    rest));
                                }
                            }
                        }
                    }
                }
            }
        }
        return states;
    }

    @ParameterizedTest
    @CsvSource({
        "08006, CONNECTION_LOST", // connection failure
        "57P01, CONNECTION_LOST", // shut down by an administrator
        "53100, PASSING", // disk full
        "25006, PASSING", // read-only
        "23514, MISSING_DAY", // no partition: a check constraint without a name
        "23505, DUPLICATE", // unique constraint
        "22021, BAD_ROW", // a character that cannot be stored
        "23502, BAD_ROW", // null where none may be
        "XX001, UNKNOWN", // damaged data
        "P0001, UNKNOWN" // raised by a trigger
    })
    void failure_is_named_by_its_sqlstate(String state, CommitFailure failure) {
        assertThat(CommitFailure.of(DbRefusals.of(state))).isEqualTo(failure);
    }

    @Test
    void exception_that_does_not_come_from_the_database_is_a_bad_row() {
        assertThat(CommitFailure.of(new IllegalStateException())).isEqualTo(BAD_ROW);
        assertThat(CommitFailure.of(new StackOverflowError())).isEqualTo(BAD_ROW);
    }

    @Test
    void only_a_bad_row_or_a_duplicate_is_not_the_fault_of_the_database() {
        assertThat(CommitFailure.values())
                .filteredOn(failure -> !failure.isDatabaseFault())
                .containsExactlyInAnyOrder(BAD_ROW, DUPLICATE);
    }
}
