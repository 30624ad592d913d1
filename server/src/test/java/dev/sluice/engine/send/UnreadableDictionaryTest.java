package dev.sluice.engine.send;

import static org.assertj.core.api.Assertions.assertThat;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sluice.account.workspace.WorkspaceId;
import dev.sluice.engine.DeliveryId;
import dev.sluice.engine.ErrorCode;
import dev.sluice.engine.Payload;
import dev.sluice.engine.commit.Receipt;
import dev.sluice.engine.compression.DictionaryTrainer;
import dev.sluice.engine.compression.ZstdPayloadDecoder;
import dev.sluice.engine.lanes.LaneLoader;
import dev.sluice.gateway.connection.ConnectionId;
import dev.sluice.testkit.DeliveryState;
import dev.sluice.testkit.LogRecorder;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/// A dictionary that is damaged or missing ends the deliveries of the events that name it, and no
/// other delivery. Isolated, because the simulation logs the same events.
@Isolated
class UnreadableDictionaryTest {

    private final DispatchHarness harness = DispatchHarness.firstNode();
    private final LogRecorder log = LogRecorder.of(LaneLoader.class);
    private final ConnectionId connection =
            harness.given.connection(
                    harness.given.source(), harness.given.destination("a.example", 4));
    private int sent;

    @BeforeEach
    void readConfiguration() {
        harness.refreshConfiguration();
    }

    @AfterEach
    void close() {
        log.close();
        harness.close();
    }

    private static Payload order(int number) {
        var id = UUID.nameUUIDFromBytes(Integer.toString(number).getBytes(UTF_8));
        String body =
                """
                {"type":"order.created","order_id":"%s","customer":{"segment":"retail"},"status":"paid"}
                """
                        .formatted(id);
        return Payload.of(List.of(), body.getBytes(UTF_8));
    }

    private DeliveryId accept() {
        var event = harness.newId();
        assertThat(harness.ingest(event, order(sent++), List.of(connection), false))
                .isEqualTo(Receipt.ReceiptState.STORED);
        return DeliveryId.of(event, 1);
    }

    private List<DeliveryId> accept(int deliveries) {
        var accepted = new ArrayList<DeliveryId>();
        for (int i = 0; i < deliveries; i++) {
            accepted.add(accept());
        }
        return accepted;
    }

    private void makeDictionary() {
        harness.db.run(tx -> tx.update("delete from payload_dictionary"));
        new DictionaryTrainer(
                        harness.db,
                        harness.encoder,
                        new ZstdPayloadDecoder(harness.db),
                        _ -> Optional.of(new WorkspaceId(harness.newId().value())),
                        harness.clock)
                .run();
        assertThat(harness.count("payload_dictionary")).isEqualTo(1);
    }

    private void roundsUntilDone() {
        DispatchHarness.awaitSoon()
                .until(() -> {
                    harness.round();
                    harness.clock.advance(Duration.ofSeconds(1));
                    harness.heartbeat.run();
                    return harness.count("delivery_work") == 0;
                });
        harness.awaitIdle();
    }

    @Test
    void deliveries_that_wait_are_sent_as_they_arrived() {
        var without = accept(210);
        makeDictionary();
        var with = accept(20);
        assertThat(harness.count("event where encoding > 0")).isEqualTo(20);

        roundsUntilDone();

        assertThat(without).extracting(harness::stateOf).containsOnly(DeliveryState.succeeded(1));
        assertThat(with).extracting(harness::stateOf).containsOnly(DeliveryState.succeeded(1));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "delete from payload_dictionary",
                "update payload_dictionary set bytes = set_byte(bytes, 900, 256 - get_byte(bytes,"
                        + " 900) - 1)",
                "update payload_dictionary set checksum = sha256('other')"
            })
    void only_what_needs_it_ends_and_all_others_are_sent(String damage) {
        var before = accept(210);
        makeDictionary();
        var bad = accept(10);
        harness.db.run(tx -> tx.update(damage));
        var event = harness.newId();
        harness.ingest(
                event, Payload.of(List.of(), new byte[] {1, 2, 3}), List.of(connection), false);

        roundsUntilDone();

        assertThat(before).extracting(harness::stateOf).containsOnly(DeliveryState.succeeded(1));
        assertThat(harness.stateOf(DeliveryId.of(event, 1))).isEqualTo(DeliveryState.succeeded(1));
        assertThat(bad)
                .extracting(harness::stateOf)
                .containsOnly(DeliveryState.failed(0, ErrorCode.PAYLOAD_UNREADABLE));
        assertThat(log.count("payload.read_failed")).isEqualTo(10);
    }
}
