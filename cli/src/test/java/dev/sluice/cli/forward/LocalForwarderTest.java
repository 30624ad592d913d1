package dev.sluice.cli.forward;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.cli.events.StoredEvent;
import dev.sluice.cli.shell.JsonTree;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// Tests a local service that accepts a request and does not read it.
class LocalForwarderTest {

    /// More than the buffers of a connection hold.
    private static final int BODY_BYTES = 32 * 1024 * 1024;

    @Test
    @Timeout(60)
    void a_service_that_does_not_read_a_request_is_given_up_after_the_timeout() throws IOException {
        var event =
                StoredEvent.read(
                        JsonTree.object()
                                .put("method", "POST")
                                .put("body", "a".repeat(BODY_BYTES)));
        try (var service = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            var target = ForwardTarget.parse("127.0.0.1:" + service.getLocalPort());

            var result = new LocalForwarder(rules()).forward(event, target);

            assertThat(result)
                    .isInstanceOfSatisfying(
                            ForwardResult.Unanswered.class,
                            unanswered ->
                                    assertThat(unanswered.problem())
                                            .endsWith("did not answer within 1000 ms"));
        }
    }

    @Test
    void event_that_would_add_a_request_is_not_sent() throws IOException {
        var event =
                StoredEvent.read(
                        JsonTree.object()
                                .put("id", "1")
                                .put("method", "GET / HTTP/1.1\r\n\r\nPOST"));
        try (var service = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            var target = ForwardTarget.parse("127.0.0.1:" + service.getLocalPort());
            var forwarding = new EventForwarding(new LocalForwarder(rules()), Optional.empty());

            assertThat(forwarding.forward(event, target))
                    .isEqualTo(
                            new ForwardResult.Unanswered(
                                    "the event was not sent, because its method is not valid",
                                    Duration.ZERO));
        }
    }

    @Test
    void prefix_that_cannot_begin_a_header_is_refused() {
        var me = JsonTree.object().put("header_prefix", "X\r\nY");

        assertThatThrownBy(() -> rules().withPrefixOf(me))
                .hasMessage("The server's header prefix cannot begin the name of a header.");
    }

    private static ForwardRules rules() {
        return new ForwardRules(
                ForwardRules.DEFAULT_PREFIX,
                Optional.empty(),
                false,
                List.of(),
                Set.of(),
                Duration.ofSeconds(1),
                0,
                TargetTls.verified());
    }
}
