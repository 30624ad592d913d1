package dev.sluice;

import static org.assertj.core.api.Assertions.assertThat;

import static java.util.Map.entry;

import dev.sluice.contract.ApiOperation;
import dev.sluice.platform.db.Db;
import dev.sluice.testkit.ApiClient.ApiResponse;
import dev.sluice.testkit.OpenApiContract;
import dev.sluice.testkit.Team;
import dev.sluice.testkit.Team.Asker;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

import java.io.IOException;
import java.net.http.HttpRequest;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// Tests that each operation of the OpenAPI document that changes something leaves one entry in the
/// audit log. The test sends the operation's own examples.
class AuditLogCoverageTest {

    /// Operations that leave no entry, and why.
    private static final Map<String, String> WITHOUT_ENTRY =
            Map.ofEntries(
                    entry("confirmMailbox", "its owner is nobody of the workspace"),
                    entry("login", "changes nothing in a workspace; the person's sessions show it"),
                    entry("logout", "changes nothing in a workspace"),
                    entry("register", "the workspace begins with the account that made it"),
                    entry("requestPasswordReset", "changes nothing until it is confirmed"),
                    entry("switchWorkspace", "changes only what the session looks at"),
                    entry("deleteWorkspace", "the log goes with the workspace"),
                    entry("previewConnection", "changes nothing"),
                    entry("tryVerification", "changes nothing"));

    /// Operations whose examples cannot work, and the test of the entry that they leave.
    private static final Map<String, String> SHOWN_ELSEWHERE =
            Map.ofEntries(
                    entry(
                            "changePassword",
                            "AuditLogTest.a_persons_own_changes_are_in_each_workspace_of_the_person"),
                    entry(
                            "confirmPasswordReset",
                            "PasswordResetTest.the_mailed_link_sets_a_password_once_and_ends_all_sessions"),
                    entry(
                            "deleteAccount",
                            "AccountEndTest.sessions_and_invites_end_and_the_keys_go_on_without_a_creator"),
                    entry("acceptInvite", "AuditLogTest.who_joins_by_an_invite_is_named"),
                    entry("resendEvent", "AuditLogTest.resends_are_named_with_the_key_that_asked"),
                    entry(
                            "resendDeliveries",
                            "AuditLogTest.resends_are_named_with_the_key_that_asked"),
                    entry("cancelReplay", "AuditLogTest.a_job_that_is_cancelled_is_named"),
                    entry(
                            "resendDeadLetters",
                            "ResolvedDeadLettersTest.a_replay_is_paused_resumed_slowed_and_named_in_the_audit_log"),
                    entry(
                            "pauseReplay",
                            "ResolvedDeadLettersTest.a_replay_is_paused_resumed_slowed_and_named_in_the_audit_log"),
                    entry(
                            "resumeReplay",
                            "ResolvedDeadLettersTest.a_replay_is_paused_resumed_slowed_and_named_in_the_audit_log"),
                    entry(
                            "updateReplay",
                            "ResolvedDeadLettersTest.a_replay_is_paused_resumed_slowed_and_named_in_the_audit_log"));

    @AutoClose private static final RunningSluice sluice = RunningSluice.start();
    @AutoClose private static final Db db = sluice.db();

    static Stream<ApiOperation> changingOperations() {
        return OpenApiContract.read().document().operations().stream()
                .filter(operation -> !operation.method().equals("GET"))
                .filter(operation -> !operation.isIngest()) // events are no configuration
                .filter(operation -> !WITHOUT_ENTRY.containsKey(operation.id()))
                .filter(operation -> !SHOWN_ELSEWHERE.containsKey(operation.id()));
    }

    @ParameterizedTest
    @MethodSource("changingOperations")
    void a_change_leaves_one_entry(ApiOperation operation) throws IOException {
        var team = Team.create(db, sluice.api());
        // the last owner may not leave
        var asker = operation.id().equals("leaveWorkspace") ? Asker.ADMIN : Asker.OWNER;
        String path = team.path(operation, asker);
        var bodies = bodies(operation, team);
        var before = actions();
        boolean isDone =
                bodies.stream()
                        .map(body -> send(team, asker, operation, path, body))
                        .anyMatch(answer -> answer.status() / 100 == 2);

        assertThat(isDone)
                .as(
                        "%s with an example of openapi.json. If none can work, add it to"
                                + " SHOWN_ELSEWHERE with a test of its own.",
                        operation.route())
                .isTrue();
        var after = actions();
        assertThat(after)
                .as(
                        "the entries that %s leaves. Let it call Caller.record, or add it to"
                                + " WITHOUT_ENTRY with the reason.",
                        operation.route())
                .hasSize(before.size() + 1);
        assertThat(documentedActions()).contains(after.getLast());
    }

    private static ApiResponse send(
            Team team, Asker asker, ApiOperation operation, String path, JsonNode body) {
        return team.send(
                team.request(asker, path)
                        .header("Content-Type", "application/json")
                        .method(
                                operation.method(),
                                operation.bodySchema().isEmpty()
                                        ? HttpRequest.BodyPublishers.noBody()
                                        : HttpRequest.BodyPublishers.ofString(body.toString())));
    }

    /// Returns the operation's examples with ids of this team.
    private static List<JsonNode> bodies(ApiOperation operation, Team team) {
        var bodies = new ArrayList<JsonNode>();
        for (var example : operation.examples()) {
            var body = (ObjectNode) example.deepCopy();
            body.remove("expires_at"); // the example's will be over one day
            for (String name : new TreeSet<>(body.propertyNames())) {
                if (name.endsWith("_id")) {
                    body.put(name, team.idForField(name));
                }
            }
            bodies.add(body);
        }
        return bodies.isEmpty() ? List.of(JsonNodeFactory.instance.objectNode()) : bodies;
    }

    private static List<String> actions() {
        return db.call(tx ->
                tx.query("select action from audit_log order by id", row -> row.text("action")));
    }

    private static Set<String> documentedActions() throws IOException {
        return Pattern.compile("`([a-z_]+\\.[a-z_]+)`")
                .matcher(
                        Files.readString(Path.of("../docs/reference/audit-log.md"))
                                .replaceAll("\\]\\([^)]*\\)", ""))
                .results()
                .map(match -> match.group(1))
                .collect(Collectors.toSet());
    }

    @Test
    void every_exception_is_still_an_operation() {
        var ids =
                OpenApiContract.read().document().operations().stream()
                        .map(ApiOperation::id)
                        .toList();

        assertThat(ids).containsAll(WITHOUT_ENTRY.keySet()).containsAll(SHOWN_ELSEWHERE.keySet());
    }
}
