package dev.sluice.bench;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.bench.ledger.Comparison;
import dev.sluice.bench.ledger.Ledger;
import dev.sluice.bench.load.LoadGenerator;
import dev.sluice.bench.load.Pace;
import dev.sluice.bench.load.Plan;
import dev.sluice.bench.load.Result;
import dev.sluice.bench.platform.Wait;
import dev.sluice.bench.relay.Api;
import dev.sluice.bench.sink.Behaviour;
import dev.sluice.bench.sink.Sink;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

class JourneyTest {

    @TempDir
    @SuppressWarnings("NullAway.Init") // set by JUnit
    private Path directory;

    @ParameterizedTest
    @MethodSource("paces")
    void what_is_sent_through_a_relay_arrives_unchanged(Pace pace) throws Exception {
        Path sent = directory.resolve("sent");
        Path received = directory.resolve("received");
        var sink = Sink.open(new Behaviour.Fast(), Optional.of(received), 0);
        var receiving = Thread.ofPlatform().start(() -> run(sink));
        try (var relay = EchoingRelay.start(0)) {
            var api = new Api(relay.base(), "key");
            var source = api.source("bench");
            api.connect(source, "sink", url(sink), 8);

            var phases = new ArrayList<String>();
            var plan =
                    new Plan(
                            source.ingest(),
                            pace,
                            4,
                            1024,
                            Duration.ZERO,
                            Duration.ofSeconds(1),
                            Optional.empty(),
                            Optional.of(sent));
            Result result = LoadGenerator.open(plan, phases::add).run();
            Wait.until(
                    Duration.ofSeconds(10),
                    () -> Ledger.read(received).size() >= result.acceptedInAll());

            var found = Comparison.of(Ledger.read(sent), Ledger.read(received));
            assertThat(found.isClean()).as("%s", found).isTrue();
            assertThat(found.received()).isPositive();
            assertThat(found.acked()).isEqualTo(found.sent());
            assertThat(phases).containsExactly("measuring", "measured");
        } finally {
            sink.stop();
            receiving.join();
        }
    }

    static List<Pace> paces() {
        return List.of(new Pace.PerSecond(200), new Pace.BackToBack());
    }

    @Test
    void without_a_relay_the_generator_keeps_trying_and_ends_in_time() throws Exception {
        var refusing = Sink.open(new Behaviour.Refuse(), Optional.empty(), 0);
        var plan =
                new Plan(
                        url(refusing),
                        new Pace.PerSecond(100),
                        4,
                        1024,
                        Duration.ZERO,
                        Duration.ofSeconds(1),
                        Optional.empty(),
                        Optional.empty());

        Result result = LoadGenerator.open(plan, _ -> {}).run();

        assertThat(result.failures()).isEqualTo(100);
        assertThat(result.sent()).isZero();
    }

    private static URI url(Sink sink) {
        return URI.create("http://127.0.0.1:" + sink.ports().deliveries() + "/hook");
    }

    private static void run(Sink sink) {
        try {
            sink.run();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
