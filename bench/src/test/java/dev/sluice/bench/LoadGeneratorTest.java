package dev.sluice.bench;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.bench.ledger.LedgerComparison;
import dev.sluice.bench.ledger.MessageLedger;
import dev.sluice.bench.load.BodyKind;
import dev.sluice.bench.load.LoadGenerator;
import dev.sluice.bench.load.LoadPattern;
import dev.sluice.bench.load.LoadPlan;
import dev.sluice.bench.load.LoadResult;
import dev.sluice.bench.platform.Wait;
import dev.sluice.bench.relay.RelayApi;
import dev.sluice.bench.sink.Sink;
import dev.sluice.bench.sink.SinkBehaviour;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

class LoadGeneratorTest {

    @TempDir
    @SuppressWarnings("NullAway.Init") // set by JUnit
    private Path directory;

    @ParameterizedTest
    @MethodSource("loads")
    void what_is_sent_through_a_relay_arrives_unchanged(LoadPattern pattern, BodyKind bodies)
            throws Exception {
        Path sent = directory.resolve("sent");
        Path received = directory.resolve("received");
        var sink = Sink.open(new SinkBehaviour.ImmediateAnswers(), Optional.of(received), 0);
        var receiving = Thread.ofPlatform().start(() -> run(sink));
        try (var relay = EchoRelay.start(0)) {
            var api = new RelayApi(relay.base(), "key");
            var source = api.createSource("bench");
            api.connect(source, "sink", url(sink), 8);

            var phases = new ArrayList<String>();
            var plan =
                    LoadPlan.of(pattern, 4, source.ingest())
                            .lasting(Duration.ZERO, Duration.ofSeconds(1))
                            .containing(bodies)
                            .recorded(sent);
            LoadResult result = LoadGenerator.open(plan, phases::add).run();
            Wait.until(
                    Duration.ofSeconds(10),
                    () -> MessageLedger.read(received).size() >= result.acceptedInAll());

            var found = LedgerComparison.of(MessageLedger.read(sent), MessageLedger.read(received));
            assertThat(found.isClean()).as("%s", found).isTrue();
            assertThat(found.received()).isPositive();
            assertThat(found.sender().acked()).isEqualTo(found.sender().sent());
            assertThat(phases).containsExactly("measuring", "measured");
        } finally {
            sink.stop();
            receiving.join();
        }
    }

    static List<Arguments> loads() {
        return List.of(
                Arguments.of(new LoadPattern.ConstantRate(200), BodyKind.FILLER),
                Arguments.of(new LoadPattern.BackToBack(), BodyKind.FILLER),
                Arguments.of(new LoadPattern.BackToBack(), BodyKind.ORDERS));
    }

    @Test
    void without_a_relay_the_generator_keeps_trying_and_ends_in_time() throws Exception {
        var refusing = Sink.open(new SinkBehaviour.RefusedConnections(), Optional.empty(), 0);
        var plan =
                LoadPlan.of(new LoadPattern.ConstantRate(100), 4, url(refusing))
                        .lasting(Duration.ZERO, Duration.ofSeconds(1));

        LoadResult result = LoadGenerator.open(plan, _ -> {}).run();

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
