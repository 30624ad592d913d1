package dev.sluice.faults.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.bench.platform.SimpleHttpClient;
import dev.sluice.bench.sink.Sink;
import dev.sluice.bench.sink.SinkBehaviour;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

class LoadBalancerTest {

    private final List<Sink> sinks = new ArrayList<>();

    @AfterEach
    void close() {
        sinks.forEach(Sink::stop);
    }

    @Test
    void one_that_refuses_or_answers_503_is_passed_over() {
        try (var balancer =
                before(
                        new SinkBehaviour.RefusedConnections(),
                        new SinkBehaviour.FixedStatus(503),
                        new SinkBehaviour.ImmediateAnswers())) {
            for (int request = 0; request < 6; request++) {
                assertThat(status(balancer)).isEqualTo(200);
            }
        }
    }

    @Test
    void any_other_answer_is_passed_on() {
        try (var balancer = before(new SinkBehaviour.FixedStatus(500))) {
            assertThat(status(balancer)).isEqualTo(500);
        }
    }

    @Test
    void where_all_answer_503_the_sender_hears_it() {
        try (var balancer =
                before(
                        new SinkBehaviour.FixedStatus(503),
                        new SinkBehaviour.RefusedConnections())) {
            assertThat(status(balancer)).isEqualTo(503);
        }
    }

    @Test
    void what_may_have_been_read_is_not_sent_again() throws IOException {
        var fast = open(new SinkBehaviour.ImmediateAnswers());
        var resetting = open(new SinkBehaviour.FixedStatus(SinkBehaviour.RESET_CONNECTION));
        try (var balancer =
                LoadBalancer.inFrontOf(
                        List.of(resetting.ports().deliveries(), fast.ports().deliveries()))) {
            assertThatThrownBy(() -> status(balancer)).isInstanceOf(UncheckedIOException.class);
            assertThat(status(balancer)).isEqualTo(200);
        }
    }

    private LoadBalancer before(SinkBehaviour... behaviours) {
        return LoadBalancer.inFrontOf(
                Arrays.stream(behaviours)
                        .map(behaviour -> open(behaviour).ports().deliveries())
                        .toList());
    }

    private Sink open(SinkBehaviour behaviour) {
        try {
            var sink = Sink.open(behaviour, Optional.empty(), 0);
            sinks.add(sink);
            Thread.ofVirtual().start(() -> run(sink));
            return sink;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void run(Sink sink) {
        try {
            sink.run();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static int status(LoadBalancer balancer) {
        return SimpleHttpClient.post(balancer.base().resolve("/in/x"), "", "{}").statusCode();
    }
}
