package dev.sluice.journey;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.RunningSluice;
import dev.sluice.platform.db.Db;
import dev.sluice.testkit.ApiClient;
import dev.sluice.testkit.ApiClient.ApiResponse;
import dev.sluice.testkit.ManualClock;
import dev.sluice.testkit.TestPostgres;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.net.http.HttpRequest;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/// Tests `ETag` and `If-Match`: who changes what somebody else has changed meanwhile is refused.
///
/// The clock stands still, so the tags do not depend on it.
class ConditionalChangeTest {

    private static final String NOBODY = "018f3c5e-7a00-7bbb-8ccc-2d5e6f708192";

    private static final ManualClock clock = ManualClock.ofNow();

    /// No mail is sent for a channel of its own accord, which would change what is read.
    @AutoClose
    private static final RunningSluice sluice =
            RunningSluice.start(clock, Map.of("SLUICE_ALERT_MAIL_DOMAINS", "example.com"));

    @AutoClose private static final Db db = sluice.db();
    private static final ApiClient api = sluice.api();

    enum ResourceKind {
        SOURCE("sources", "{'description':'first'}", "{'description':'second'}") {
            @Override
            ApiResponse create() {
                return api.source("s");
            }
        },
        DESTINATION("destinations", "{'timeout_ms':1}", "{'timeout_ms':2}") {
            @Override
            ApiResponse create() {
                return api.destination("https://example.com/hook", "");
            }
        },
        CONNECTION("connections", "{'enabled':true}", "{'enabled':false}") {
            @Override
            ApiResponse create() {
                return api.connect(SOURCE.create(), DESTINATION.create());
            }
        },
        ALERT_CONFIG("alert-configs", "{'enabled':true}", "{'enabled':false}") {
            @Override
            ApiResponse create() {
                return api.post(
                        "/api/v1/alert-configs",
                        "{'channel':'email','config':{'to':'oncall@example.com'}}");
            }
        };

        private final String path;
        private final String firstChange;
        private final String secondChange;

        ResourceKind(String path, String firstChange, String secondChange) {
            this.path = path;
            this.firstChange = firstChange;
            this.secondChange = secondChange;
        }

        abstract ApiResponse create();

        String pathOf(ApiResponse created) {
            return "/api/v1/" + path + "/" + created.text("id");
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_change_with_an_old_tag_is_412_and_changes_nothing(ResourceKind kind) {
        var created = kind.create();
        String path = kind.pathOf(created);
        String first = tag(created);
        assertThat(tag(api.get(path))).isEqualTo(first);

        var changed = patch(path, first, kind.firstChange);
        assertThat(changed.status()).isEqualTo(200);
        String second = tag(changed);
        assertThat(second).isNotEqualTo(first);

        var late = patch(path, first, kind.secondChange);
        assertThat(late.status()).isEqualTo(412);
        assertThat(late.errorCode()).isEqualTo("precondition_failed");
        assertThat(delete(path, first).status()).isEqualTo(412);

        var present = api.get(path);
        assertThat(tag(present)).isEqualTo(second);
        assertThat(present.json()).isEqualTo(changed.json());
        assertThat(delete(path, second).status()).isEqualTo(204);
        assertThat(delete(path, second).status()).isEqualTo(404);
    }

    @ParameterizedTest
    @EnumSource
    void without_a_condition_or_with_an_asterisk_every_change_is_made(ResourceKind kind) {
        String path = kind.pathOf(kind.create());

        assertThat(api.patch(path, kind.firstChange).status()).isEqualTo(200);
        assertThat(patch(path, "*", kind.secondChange).status()).isEqualTo(200);
        assertThat(delete(path, "*").status()).isEqualTo(204);
        assertThat(patch(path, "*", kind.secondChange).status()).isEqualTo(404);
    }

    @ParameterizedTest
    @EnumSource
    void what_is_wrong_for_another_reason_is_refused_for_that(ResourceKind kind) {
        String path = kind.pathOf(kind.create());

        assertThat(patch(path, "\"old\"", "{'unknown':1}").status()).isEqualTo(422);
        assertThat(patch(path, "old", kind.firstChange).status()).isEqualTo(400);
        assertThat(delete(path, "old").errorMessage()).contains("If-Match");
        assertThat(delete(path, "").status()).isEqualTo(400);
        assertThat(delete(path, "W/" + tag(api.get(path))).status()).isEqualTo(412);
        assertThat(delete("/api/v1/" + kind.path + "/" + NOBODY, "\"old\"").status())
                .isEqualTo(404);
        assertThat(api.get(path).status()).isEqualTo(200);
    }

    @ParameterizedTest
    @EnumSource
    void of_two_changes_with_one_tag_at_a_time_exactly_one_is_made(ResourceKind kind)
            throws Exception {
        var created = kind.create();
        String path = kind.pathOf(created);
        String tag = tag(created);

        var answers =
                atOnce(
                        () -> patch(path, tag, kind.firstChange),
                        () -> patch(path, tag, kind.secondChange));

        assertThat(answers).extracting(ApiResponse::status).containsExactlyInAnyOrder(200, 412);
        var made = answers.stream().filter(answer -> answer.status() == 200).findFirst();
        assertThat(api.get(path).json()).isEqualTo(made.orElseThrow().json());
    }

    @ParameterizedTest
    @EnumSource
    void of_a_change_and_a_deletion_with_one_tag_exactly_one_is_made(ResourceKind kind)
            throws Exception {
        var created = kind.create();
        String path = kind.pathOf(created);
        String tag = tag(created);

        var answers = atOnce(() -> patch(path, tag, kind.firstChange), () -> delete(path, tag));

        boolean isDeleted = answers.getLast().status() == 204;
        assertThat(answers.getFirst().status()).isEqualTo(isDeleted ? 404 : 200);
        assertThat(answers.getLast().status()).isEqualTo(isDeleted ? 204 : 412);
        assertThat(api.get(path).status()).isEqualTo(isDeleted ? 404 : 200);
    }

    @Test
    void a_source_that_comes_back_from_the_trash_has_a_tag() {
        var source = api.source("s");
        String path = ResourceKind.SOURCE.pathOf(source);
        api.delete(path);

        var restored = api.post(path + "/restore", "");

        assertThat(tag(restored)).isEqualTo(tag(api.get(path)));
        assertThat(patch(path, tag(restored), "{'name':'t'}").status()).isEqualTo(200);
    }

    /// Sends both requests so that both are under way before either of them can change something.
    private static List<ApiResponse> atOnce(
            Callable<ApiResponse> first, Callable<ApiResponse> second) throws Exception {
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var answers =
                    db.call(tx -> {
                        tx.query("select version from config_version for update", _ -> true);
                        tx.query("select id from workspace for no key update", _ -> true);
                        var sent = List.of(threads.submit(first), threads.submit(second));
                        await().until(() -> TestPostgres.lockWaits(tx) >= 2);
                        return sent;
                    });
            return List.of(answer(answers.getFirst()), answer(answers.getLast()));
        }
    }

    private static ApiResponse answer(Future<ApiResponse> answer)
            throws ExecutionException, InterruptedException {
        return answer.get();
    }

    private static String tag(ApiResponse answer) {
        return answer.header("ETag").orElseThrow(() -> new AssertionError(answer.toString()));
    }

    private static ApiResponse patch(String path, String ifMatch, String json) {
        return api.send(
                api.request(path)
                        .header("Content-Type", "application/json")
                        .header("If-Match", ifMatch)
                        .method(
                                "PATCH",
                                HttpRequest.BodyPublishers.ofString(json.replace('\'', '"'))));
    }

    private static ApiResponse delete(String path, String ifMatch) {
        return api.send(api.request(path).header("If-Match", ifMatch).DELETE());
    }
}
