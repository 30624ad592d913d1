package dev.sluice.bench.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.bench.platform.Http;
import dev.sluice.bench.sink.Behaviour;
import dev.sluice.bench.sink.Sink;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

class BalancerTest {

    private final List<Sink> sinks = new ArrayList<>();

    @AfterEach
    void close() {
        sinks.forEach(Sink::stop);
    }

    @Test
    void one_that_refuses_or_answers_503_is_passed_over() {
        try (var balancer =
                before(new Behaviour.Refuse(), new Behaviour.Fail(503), new Behaviour.Fast())) {
            for (int request = 0; request < 6; request++) {
                assertThat(status(balancer)).isEqualTo(200);
            }
        }
    }

    @Test
    void any_other_answer_is_passed_on() {
        try (var balancer = before(new Behaviour.Fail(500))) {
            assertThat(status(balancer)).isEqualTo(500);
        }
    }

    @Test
    void where_all_answer_503_the_sender_hears_it() {
        try (var balancer = before(new Behaviour.Fail(503), new Behaviour.Refuse())) {
            assertThat(status(balancer)).isEqualTo(503);
        }
    }

    @Test
    void what_may_have_been_read_is_not_sent_again() throws IOException {
        var fast = open(new Behaviour.Fast());
        var resetting = open(new Behaviour.Fail(Behaviour.RESET));
        try (var balancer =
                Balancer.before(
                        List.of(resetting.ports().deliveries(), fast.ports().deliveries()))) {
            assertThatThrownBy(() -> status(balancer)).isInstanceOf(UncheckedIOException.class);
            assertThat(status(balancer)).isEqualTo(200);
        }
    }

    private Balancer before(Behaviour... behaviours) {
        return Balancer.before(
                Arrays.stream(behaviours)
                        .map(behaviour -> open(behaviour).ports().deliveries())
                        .toList());
    }

    private Sink open(Behaviour behaviour) {
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

    private static int status(Balancer balancer) {
        return Http.post(balancer.base().resolve("/in/x"), "", "{}").statusCode();
    }
}
