package dev.sluice.journey;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.RunningSluice;
import dev.sluice.testkit.Api;
import dev.sluice.testkit.Receiver;
import dev.sluice.testkit.TestCluster;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import tools.jackson.databind.JsonNode;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;

/// Changes of the configuration that one node answers, and what another node of the same relay does
/// with requests after that. For holds see [HoldOnTwoNodesTest].
class ConfigurationOnTwoNodesTest {

    /// A change is in force on all nodes after this.
    private static final Duration EVERYWHERE = Duration.ofSeconds(2);

    /// On a machine that stalls a request may come late that was made in time.
    private static final int TRIES = 3;

    private static final Duration PATIENCE = Duration.ofSeconds(20);

    @TempDir static Path directory;

    private static RunningSluice first;
    private static RunningSluice second;

    /// Of the node that is asked for changes.
    private static Api api;

    /// Of the node that must hear of them.
    private static Api other;

    private Receiver receiver;
    private Receiver newReceiver;

    /// What one try is about.
    record Scene(Api.Answer source, Api.Answer destination, Optional<Api.Answer> connection) {

        String path(String kind) {
            var of =
                    switch (kind) {
                        case "sources" -> source;
                        case "destinations" -> destination;
                        default -> connection.orElseThrow();
                    };
            return "/api/v1/" + kind + "/" + of.text("id");
        }
    }

    @BeforeAll
    static void start() {
        var clock = InstantSource.system();
        first = RunningSluice.start(directory.resolve("first"), clock, Map.of());
        second =
                RunningSluice.start(
                        directory.resolve("second"),
                        clock,
                        Map.of("SLUICE_DATABASE_URL", TestCluster.url(first.database())));
        api = first.api();
        other = api.on(second.port());
    }

    @AfterAll
    static void stop() {
        second.close();
        first.close();
    }

    @BeforeEach
    void open() {
        receiver = Receiver.start();
        newReceiver = Receiver.start();
    }

    @AfterEach
    void shut() throws IOException {
        receiver.close();
        newReceiver.close();
    }

    /// What can be changed, and how a request to the other node shows that it goes by it.
    enum Change {
        CONNECTION_MADE {
            @Override
            Scene scene(ConfigurationOnTwoNodesTest test) {
                var source = api.source("s");
                var destination = api.destination(test.receiver.url(), "");
                await().atMost(PATIENCE).until(() -> ingest(source).status() == 200);
                return new Scene(source, destination, Optional.empty());
            }

            @Override
            Api.Answer make(ConfigurationOnTwoNodesTest test, Scene scene) {
                return api.connect(scene.source(), scene.destination());
            }

            @Override
            boolean isInForce(ConfigurationOnTwoNodesTest test, Scene scene) {
                var event = ingest(scene.source());
                if (deliveries(event).isEmpty()) {
                    return false;
                }
                test.awaitAt(test.receiver, event);
                return true;
            }
        },
        CONNECTION_DELETED {
            @Override
            Api.Answer make(ConfigurationOnTwoNodesTest test, Scene scene) {
                return api.delete(scene.path("connections"));
            }

            @Override
            boolean isInForce(ConfigurationOnTwoNodesTest test, Scene scene) {
                return deliveries(ingest(scene.source())).isEmpty();
            }
        },
        DESTINATION_DELETED {
            @Override
            Api.Answer make(ConfigurationOnTwoNodesTest test, Scene scene) {
                return api.delete(scene.path("destinations"));
            }

            @Override
            boolean isInForce(ConfigurationOnTwoNodesTest test, Scene scene) {
                return deliveries(ingest(scene.source())).isEmpty();
            }
        },
        URL_CHANGED {
            @Override
            Api.Answer make(ConfigurationOnTwoNodesTest test, Scene scene) {
                return api.patch(
                        scene.path("destinations"), "{'url': '" + test.newReceiver.url() + "'}");
            }

            @Override
            boolean isInForce(ConfigurationOnTwoNodesTest test, Scene scene) {
                var event = ingest(scene.source());
                await().atMost(PATIENCE)
                        .until(() -> isAt(test.receiver, event) || isAt(test.newReceiver, event));
                return isAt(test.newReceiver, event);
            }
        },
        FILTER_CHANGED {
            @Override
            Api.Answer make(ConfigurationOnTwoNodesTest test, Scene scene) {
                return api.patch(
                        scene.path("connections"),
                        "{'filter_rules': {'operator': 'and', 'rules': [{'path': 'body.paid', 'op':"
                                + " 'eq', 'value': true}]}}");
            }

            @Override
            boolean isInForce(ConfigurationOnTwoNodesTest test, Scene scene) {
                return deliveries(ingest(scene.source()))
                        .get(0)
                        .path("status")
                        .asString()
                        .equals("filtered");
            }
        },
        VERIFICATION_CHANGED {
            @Override
            Api.Answer make(ConfigurationOnTwoNodesTest test, Scene scene) {
                return api.patch(
                        scene.path("sources"),
                        "{'verification_config': {'provider': 'api_key', 'header': 'X-Sender',"
                                + " 'key': 'of the sender'}}");
            }

            @Override
            boolean isInForce(ConfigurationOnTwoNodesTest test, Scene scene) {
                return ingest(scene.source()).status() == 401;
            }
        },
        RESPONSE_CHANGED {
            @Override
            Api.Answer make(ConfigurationOnTwoNodesTest test, Scene scene) {
                return api.patch(
                        scene.path("sources"),
                        "{'response_config': {'content_type': 'text', 'body': 'changed'}}");
            }

            @Override
            boolean isInForce(ConfigurationOnTwoNodesTest test, Scene scene) {
                return ingest(scene.source()).body().equals("changed");
            }
        },
        SOURCE_DELETED {
            @Override
            Api.Answer make(ConfigurationOnTwoNodesTest test, Scene scene) {
                return api.delete(scene.path("sources"));
            }

            @Override
            boolean isInForce(ConfigurationOnTwoNodesTest test, Scene scene) {
                return ingest(scene.source()).status() == 404;
            }
        };

        abstract Api.Answer make(ConfigurationOnTwoNodesTest test, Scene scene);

        abstract boolean isInForce(ConfigurationOnTwoNodesTest test, Scene scene);

        /// A connection that the other node knows.
        Scene scene(ConfigurationOnTwoNodesTest test) {
            var source = api.source("s");
            var destination = api.destination(test.receiver.url(), "");
            var connection = api.connect(source, destination);
            await().atMost(PATIENCE)
                    .until(() -> {
                        var event = ingest(source);
                        return event.status() == 200 && !deliveries(event).isEmpty();
                    });
            return new Scene(source, destination, Optional.of(connection));
        }
    }

    /// On the node that must hear of the change.
    private static Api.Answer ingest(Api.Answer source) {
        return other.ingest(source.text("ingest_path"), "{}");
    }

    private static JsonNode deliveries(Api.Answer event) {
        return Events.detail(api, event).path("deliveries");
    }

    /// By the id of the delivery, which begins as that of its event.
    private static boolean isAt(Receiver at, Api.Answer event) {
        String id = event.text("request_id");
        String beginning = id.substring(0, id.length() - 3);
        return at.requests().stream()
                .flatMap(request -> request.values("X-Service-Delivery-Id").stream())
                .anyMatch(delivery -> delivery.startsWith(beginning));
    }

    private void awaitAt(Receiver at, Api.Answer event) {
        await().atMost(PATIENCE).until(() -> isAt(at, event));
    }

    @ParameterizedTest
    @EnumSource(Change.class)
    void a_change_is_in_force_on_another_node_within_2_s(Change change) {
        var taken = new ArrayList<Duration>();
        do {
            taken.add(measured(change));
        } while (taken.getLast().compareTo(EVERYWHERE) > 0 && taken.size() < TRIES);

        assertThat(taken.getLast())
                .as("of " + taken + ", each from the answer of the change")
                .isLessThanOrEqualTo(EVERYWHERE);
    }

    /// From the answer of the change until the first request is made that the other node treats by
    /// it.
    private Duration measured(Change change) {
        var scene = change.scene(this);
        assertThat(change.isInForce(this, scene)).as("before the change").isFalse();
        var answer = change.make(this, scene);
        long answered = System.nanoTime();
        assertThat(answer.status()).isBetween(200, 204);

        var asked = new AtomicLong();
        await().atMost(PATIENCE)
                .pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofMillis(20))
                .until(() -> {
                    asked.set(System.nanoTime());
                    return change.isInForce(this, scene);
                });
        return Duration.ofNanos(asked.get() - answered);
    }
}
