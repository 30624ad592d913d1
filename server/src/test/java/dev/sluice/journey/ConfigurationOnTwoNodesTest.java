package dev.sluice.journey;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.RunningSluice;
import dev.sluice.testkit.ApiClient;
import dev.sluice.testkit.Receiver;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import tools.jackson.databind.JsonNode;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;

/// Tests that a configuration change made on one node takes effect on another node of the same
/// relay. [HoldInMemoryTest] covers holds.
class ConfigurationOnTwoNodesTest {

    /// The time within which a change must take effect on all nodes.
    private static final Duration PROPAGATION_TIMEOUT = Duration.ofSeconds(2);

    /// Allows retries, because on a stalling machine a request may arrive late.
    private static final int MAX_TRIES = 3;

    @AutoClose private static final RunningSluice first = RunningSluice.start();
    private static final RunningSluice second = first.second();

    /// The client of the node that makes the changes.
    private static final ApiClient api = first.api();

    /// The client of the node that must learn of them.
    private static final ApiClient other = api.onPort(second.port());

    private Receiver receiver;
    private Receiver newReceiver;

    /// The source, destination and connection of one try.
    record ChangeFixture(
            ApiClient.ApiResponse source,
            ApiClient.ApiResponse destination,
            Optional<ApiClient.ApiResponse> connection) {

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

    @BeforeEach
    void open() {
        receiver = Receiver.start();
        newReceiver = Receiver.start();
    }

    @AfterEach
    void close() throws IOException {
        receiver.close();
        newReceiver.close();
    }

    /// A change of the configuration, and a check that the other node follows it.
    enum ConfigurationEdit {
        CONNECTION_MADE {
            @Override
            ChangeFixture fixture(ConfigurationOnTwoNodesTest test) {
                var source = api.source("s");
                var destination = api.destination(test.receiver.url(), "");
                await().until(() -> ingest(source).status() == 200);
                return new ChangeFixture(source, destination, Optional.empty());
            }

            @Override
            ApiClient.ApiResponse make(ConfigurationOnTwoNodesTest test, ChangeFixture fixture) {
                return api.connect(fixture.source(), fixture.destination());
            }

            @Override
            boolean isInForce(ConfigurationOnTwoNodesTest test, ChangeFixture fixture) {
                var event = ingest(fixture.source());
                if (deliveries(event).isEmpty()) {
                    return false;
                }
                test.awaitAt(test.receiver, event);
                return true;
            }
        },
        CONNECTION_DELETED {
            @Override
            ApiClient.ApiResponse make(ConfigurationOnTwoNodesTest test, ChangeFixture fixture) {
                return api.delete(fixture.path("connections"));
            }

            @Override
            boolean isInForce(ConfigurationOnTwoNodesTest test, ChangeFixture fixture) {
                return deliveries(ingest(fixture.source())).isEmpty();
            }
        },
        DESTINATION_DELETED {
            @Override
            ApiClient.ApiResponse make(ConfigurationOnTwoNodesTest test, ChangeFixture fixture) {
                return api.delete(fixture.path("destinations"));
            }

            @Override
            boolean isInForce(ConfigurationOnTwoNodesTest test, ChangeFixture fixture) {
                return deliveries(ingest(fixture.source())).isEmpty();
            }
        },
        URL_CHANGED {
            @Override
            ApiClient.ApiResponse make(ConfigurationOnTwoNodesTest test, ChangeFixture fixture) {
                return api.patch(
                        fixture.path("destinations"), "{'url': '" + test.newReceiver.url() + "'}");
            }

            @Override
            boolean isInForce(ConfigurationOnTwoNodesTest test, ChangeFixture fixture) {
                var event = ingest(fixture.source());
                await().until(() -> isAt(test.receiver, event) || isAt(test.newReceiver, event));
                return isAt(test.newReceiver, event);
            }
        },
        FILTER_CHANGED {
            @Override
            ApiClient.ApiResponse make(ConfigurationOnTwoNodesTest test, ChangeFixture fixture) {
                return api.patch(
                        fixture.path("connections"),
                        "{'filter_rules': {'operator': 'and', 'rules': [{'path': 'body.paid', 'op':"
                                + " 'eq', 'value': true}]}}");
            }

            @Override
            boolean isInForce(ConfigurationOnTwoNodesTest test, ChangeFixture fixture) {
                return deliveries(ingest(fixture.source()))
                        .get(0)
                        .path("status")
                        .asString()
                        .equals("filtered");
            }
        },
        VERIFICATION_CHANGED {
            @Override
            ApiClient.ApiResponse make(ConfigurationOnTwoNodesTest test, ChangeFixture fixture) {
                return api.patch(
                        fixture.path("sources"),
                        "{'verification_config': {'provider': 'api_key', 'header': 'X-Sender',"
                                + " 'key': 'of the sender'}}");
            }

            @Override
            boolean isInForce(ConfigurationOnTwoNodesTest test, ChangeFixture fixture) {
                return ingest(fixture.source()).status() == 401;
            }
        },
        RESPONSE_CHANGED {
            @Override
            ApiClient.ApiResponse make(ConfigurationOnTwoNodesTest test, ChangeFixture fixture) {
                return api.patch(
                        fixture.path("sources"),
                        "{'response_config': {'content_type': 'text', 'body': 'changed'}}");
            }

            @Override
            boolean isInForce(ConfigurationOnTwoNodesTest test, ChangeFixture fixture) {
                return ingest(fixture.source()).body().equals("changed");
            }
        },
        SOURCE_DELETED {
            @Override
            ApiClient.ApiResponse make(ConfigurationOnTwoNodesTest test, ChangeFixture fixture) {
                return api.delete(fixture.path("sources"));
            }

            @Override
            boolean isInForce(ConfigurationOnTwoNodesTest test, ChangeFixture fixture) {
                return ingest(fixture.source()).status() == 404;
            }
        };

        abstract ApiClient.ApiResponse make(
                ConfigurationOnTwoNodesTest test, ChangeFixture fixture);

        abstract boolean isInForce(ConfigurationOnTwoNodesTest test, ChangeFixture fixture);

        /// Makes a connection and waits until the other node knows it.
        ChangeFixture fixture(ConfigurationOnTwoNodesTest test) {
            var source = api.source("s");
            var destination = api.destination(test.receiver.url(), "");
            var connection = api.connect(source, destination);
            await().until(() -> {
                var event = ingest(source);
                return event.status() == 200 && !deliveries(event).isEmpty();
            });
            return new ChangeFixture(source, destination, Optional.of(connection));
        }
    }

    /// Ingests an event on the node that must learn of the change.
    private static ApiClient.ApiResponse ingest(ApiClient.ApiResponse source) {
        return other.ingest(source.text("ingest_path"), "{}");
    }

    private static JsonNode deliveries(ApiClient.ApiResponse event) {
        return EventReader.detail(api, event).path("deliveries");
    }

    /// Whether a delivery of the event arrived at the receiver. The delivery's id begins like the
    /// event's.
    private static boolean isAt(Receiver at, ApiClient.ApiResponse event) {
        String id = event.text("request_id");
        String beginning = id.substring(0, id.length() - 3);
        return at.requests().stream()
                .flatMap(
                        receivedRequest -> receivedRequest.values("X-Service-Delivery-Id").stream())
                .anyMatch(delivery -> delivery.startsWith(beginning));
    }

    private void awaitAt(Receiver at, ApiClient.ApiResponse event) {
        await().until(() -> isAt(at, event));
    }

    @ParameterizedTest
    @EnumSource(ConfigurationEdit.class)
    void a_change_is_in_force_on_another_node_within_2_s(ConfigurationEdit edit) {
        var taken = new ArrayList<Duration>();
        do {
            taken.add(measured(edit));
        } while (taken.getLast().compareTo(PROPAGATION_TIMEOUT) > 0 && taken.size() < MAX_TRIES);

        assertThat(taken.getLast())
                .as("of " + taken + ", each from the answer of the change")
                .isLessThanOrEqualTo(PROPAGATION_TIMEOUT);
    }

    /// The time from the reply to the change until the other node first handles a request
    /// accordingly.
    private Duration measured(ConfigurationEdit edit) {
        var fixture = edit.fixture(this);
        assertThat(edit.isInForce(this, fixture)).as("before the change").isFalse();
        var answer = edit.make(this, fixture);
        long answered = System.nanoTime();
        assertThat(answer.status()).isBetween(200, 204);

        var asked = new AtomicLong();
        await().pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofMillis(20))
                .until(() -> {
                    asked.set(System.nanoTime());
                    return edit.isInForce(this, fixture);
                });
        return Duration.ofNanos(asked.get() - answered);
    }
}
