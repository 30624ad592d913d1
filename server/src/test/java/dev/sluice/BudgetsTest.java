package dev.sluice;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.account.access.Budget;
import dev.sluice.contract.ApiOperation;
import dev.sluice.platform.db.Db;
import dev.sluice.testkit.ApiClient.ApiResponse;
import dev.sluice.testkit.OpenApiContract;
import dev.sluice.testkit.Team;
import dev.sluice.testkit.Team.Asker;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.net.http.HttpRequest;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeMap;

/// Tests that each operation of the OpenAPI document is refused when a budget that it spends is
/// used up, and only then.
class BudgetsTest {

    private static final Set<Integer> REFUSALS = Set.of(402, 429, 503);

    @AutoClose
    private static final RunningSluice sluice =
            RunningSluice.start(Map.of("SLUICE_REGISTRATION", "open"));

    @AutoClose private static final Db db = sluice.db();

    @AfterEach
    void giveRoom() {
        for (var budget : Budget.values()) {
            sluice.budgets().resize(budget, OptionalInt.empty());
        }
    }

    private static void takeAll(Budget budget) {
        sluice.budgets().resize(budget, OptionalInt.of(0));
    }

    private static List<ApiOperation> operations() {
        return OpenApiContract.read().document().operations().stream()
                .filter(operation -> !operation.isIngest())
                .toList();
    }

    private static Set<Budget> budgetsOf(ApiOperation operation) {
        var budgets = sluice.budgetsByRoute();
        assertThat(budgets).containsKey(operation.route());
        return budgets.getOrDefault(operation.route(), Set.of());
    }

    private static HttpRequest.Builder request(Team team, ApiOperation operation, Asker asker) {
        String path = team.path(operation, Asker.OWNER);
        var body =
                operation.json().has("requestBody")
                        ? HttpRequest.BodyPublishers.ofString("{}")
                        : HttpRequest.BodyPublishers.noBody();
        return team.request(asker, path)
                .header("Content-Type", "application/json")
                .method(operation.method(), body);
    }

    @Test
    void without_any_budget_no_operation_runs_a_statement_after_the_caller_is_known() {
        var team = Team.create(db, sluice.api());
        var statuses = new TreeMap<String, Integer>();
        for (var operation : operations()) {
            if (!budgetsOf(operation).isEmpty()) {
                var requests =
                        Map.of(
                                Asker.KEY, request(team, operation, Asker.KEY),
                                Asker.OWNER, request(team, operation, Asker.OWNER));
                for (var budget : Budget.values()) {
                    takeAll(budget);
                }
                long taken = sluice.apiPool().use().taken();
                requests.forEach((asker, request) ->
                        statuses.put(
                                operation.route() + " by " + asker, team.send(request).status()));
                assertThat(sluice.apiPool().use().taken())
                        .as("connections taken by " + operation.route())
                        .isEqualTo(taken);
                giveRoom();
            }
        }

        assertThat(statuses.values()).as(statuses.toString()).isSubsetOf(REFUSALS);
        assertThat(statuses).hasSizeGreaterThan(160);
    }

    @ParameterizedTest
    @EnumSource
    void without_one_budget_exactly_the_operations_that_name_it_are_refused(Budget budget) {
        var wrong = new TreeMap<String, ApiResponse>();
        for (var operation : operations()) {
            boolean isNamed = budgetsOf(operation).contains(budget);
            if (!isNamed && isStream(operation)) {
                continue; // its answer would not end
            }
            for (var asker : List.of(Asker.KEY, Asker.OWNER)) {
                var team = Team.create(db, sluice.api());
                var request = request(team, operation, asker);
                takeAll(budget);
                var answer = team.send(request);
                giveRoom();
                boolean isRefused = REFUSALS.contains(answer.status());
                boolean mayNotCall = answer.status() == 403 && asker == Asker.KEY;
                if (isRefused != isNamed && !(isNamed && mayNotCall)) {
                    wrong.put(operation.route() + " by " + asker, answer);
                }
            }
        }

        assertThat(wrong).isEmpty();
    }

    private static boolean isStream(ApiOperation operation) {
        return operation.path().endsWith("/stream") || operation.path().endsWith("/tail");
    }
}
