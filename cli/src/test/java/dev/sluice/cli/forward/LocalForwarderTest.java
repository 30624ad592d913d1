package dev.sluice.cli.forward;

import static org.assertj.core.api.Assertions.assertThat;

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
        var rules =
                new ForwardRules(
                        ForwardRules.DEFAULT_PREFIX,
                        Optional.empty(),
                        false,
                        List.of(),
                        Set.of(),
                        Duration.ofSeconds(1),
                        0,
                        TargetTls.verified());
        try (var service = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            var target = ForwardTarget.parse("127.0.0.1:" + service.getLocalPort());

            var result = new LocalForwarder(rules).forward(event, target);

            assertThat(result)
                    .isInstanceOfSatisfying(
                            ForwardResult.Unanswered.class,
                            unanswered ->
                                    assertThat(unanswered.problem())
                                            .endsWith("did not answer within 1000 ms"));
        }
    }
}
