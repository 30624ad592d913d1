package dev.sluice.engine.compression;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.github.luben.zstd.ZstdDictCompress;

import dev.sluice.account.workspace.WorkspaceId;
import dev.sluice.engine.EventId;
import dev.sluice.engine.Payload;
import dev.sluice.engine.PayloadDecoder;
import dev.sluice.engine.PayloadMeter;
import dev.sluice.engine.StoredPayload;
import dev.sluice.engine.UnreadablePayloadException;
import dev.sluice.engine.commit.PartitionStore;
import dev.sluice.gateway.source.SourceId;
import dev.sluice.gateway.source.VerificationStatus;
import dev.sluice.platform.db.Db;
import dev.sluice.platform.db.DbException;
import dev.sluice.platform.id.Uuid7;
import dev.sluice.platform.loop.Wake;
import dev.sluice.testkit.Given;
import dev.sluice.testkit.GivenRows;
import dev.sluice.testkit.LogRecorder;
import dev.sluice.testkit.ManualClock;
import dev.sluice.testkit.Some;
import dev.sluice.testkit.TestPostgres;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Random;
import java.util.function.Supplier;

/// Dictionaries are made from the events of a source, are committed before anything names them, and
/// are used by every node.
class DictionaryTrainerTest {

    private final Db db = TestPostgres.open(TestPostgres.newDatabase());

    /// The database's clock dates dictionaries.
    private final ManualClock clock = ManualClock.ofNow();

    private final Uuid7 ids = new Uuid7(clock, new Random(1));
    private final SourceId source = new Given(db).source();
    private final ShopEvents shop = new ShopEvents(3);
    private final TestNode node = new TestNode();

    /// What one node has in memory.
    private final class TestNode {
        final Wake wake = new Wake();
        final PayloadEncoder encoder = PayloadEncoder.on(new PayloadMeter(), clock, wake);
        final PayloadDecoder decoder = new ZstdPayloadDecoder(db);
        final DictionaryTrainer trainer =
                new DictionaryTrainer(
                        db, encoder, decoder, DictionaryTrainerTest.this::workspaceOf, clock);

        /// Stores an event as ingest does.
        StoredPayload ingest(SourceId to, Payload payload) {
            var stored = encoder.encode(to, payload, true);
            insert(to, payload, stored);
            return stored;
        }

        void ingest(int events) {
            for (var payload : shop.next(events)) {
                ingest(source, payload);
            }
        }

        /// Runs a round after the time in which a node makes no second dictionary.
        void round() {
            clock.advance(Duration.ofMinutes(1));
            trainer.run();
        }
    }

    DictionaryTrainerTest() {
        new PartitionStore(db).makeAhead(clock.instant());
    }

    @AfterEach
    void close() {
        db.close();
    }

    private void insert(SourceId to, Payload payload, StoredPayload stored) {
        insert(to, payload, stored, VerificationStatus.SKIPPED);
    }

    private void insert(
            SourceId to, Payload payload, StoredPayload stored, VerificationStatus status) {
        db.run(tx ->
                tx.update(
                        """
                        insert into event (id, source_id, method, verification, fanout, body_size,
                                           encoding, headers, body)
                        values (?, ?, 'POST', ?, 0, ?, ?, ?, ?)
                        """,
                        new EventId(ids.next(12)).value(),
                        to.value(),
                        status.number(),
                        payload.body().length,
                        stored.isPlain() ? null : stored.encoding(),
                        stored.headers(),
                        stored.body()));
    }

    private Optional<WorkspaceId> workspaceOf(SourceId id) {
        return db.call(tx ->
                tx.findOne(
                        "select workspace_id from source where id = ?",
                        row -> new WorkspaceId(row.uuid("workspace_id")),
                        id.value()));
    }

    private long dictionaries(String condition) {
        return db.call(tx ->
                tx.single(
                        "select count(*) as n from payload_dictionary where " + condition,
                        row -> row.number("n")));
    }

    private static Payload noise(Random random) {
        byte[] body = new byte[1_000];
        random.nextBytes(body);
        return Payload.of(List.of(), body);
    }

    @Test
    void a_source_gets_a_dictionary_once_it_has_sent_enough() {
        node.ingest(SourceTraffic.FIRST_TRY_EVENTS - 1);
        node.round();
        assertThat(dictionaries("true")).isZero();

        node.ingest(1);
        node.round();

        assertThat(dictionaries("source_id = '%s'".formatted(source))).isEqualTo(1);
        var payload = shop.next();
        var stored = node.ingest(source, payload);
        assertThat(stored.encoding()).isPositive();
        assertThat(node.decoder.decode(stored).body()).isEqualTo(payload.body());
        assertThat(node.decoder.decode(stored).headerLines()).isEqualTo(payload.headerLines());
    }

    @Test
    void events_of_1_kb_then_take_less_than_250_bytes_on_average() {
        node.ingest(SourceTraffic.FIRST_TRY_EVENTS);
        node.round();

        var payloads = shop.next(1_000);
        var averagePlain = payloads.stream().mapToInt(one -> one.body().length).average();
        var averageStored =
                payloads.stream()
                        .mapToInt(one -> node.encoder.encode(source, one, true).bytes())
                        .average();

        assertThat(averagePlain.orElseThrow()).isBetween(950.0, 1_100.0);
        assertThat(averageStored.orElseThrow()).isLessThanOrEqualTo(250);
    }

    @Test
    void the_encoder_asks_for_the_trainer_when_a_source_is_new_and_when_it_has_sent_enough() {
        var wakes = new ArrayList<Integer>();
        for (int i = 1; i <= SourceTraffic.FIRST_TRY_EVENTS + 10; i++) {
            node.encoder.encode(source, shop.next(), true);
            if (node.wake.take()) {
                wakes.add(i);
            }
        }

        assertThat(wakes).containsExactly(1, SourceTraffic.FIRST_TRY_EVENTS);
    }

    /// Crashes between the training and the commit, and between the commit and the first event.
    @Test
    void no_event_names_a_dictionary_that_is_not_committed() {
        node.ingest(SourceTraffic.FIRST_TRY_EVENTS);
        db.run(tx ->
                tx.update("alter table payload_dictionary add constraint no_room check (false)"));
        clock.advance(Duration.ofMinutes(1));
        assertThatThrownBy(node.trainer::run).isInstanceOf(RuntimeException.class);
        assertThat(node.ingest(source, shop.next()).encoding()).isNotPositive();
        db.run(tx -> tx.update("alter table payload_dictionary drop constraint no_room"));

        // Its first node crashes after the commit: nothing names the dictionary yet, and the next
        // process finds it.
        node.ingest(SourceTraffic.FIRST_TRY_EVENTS * 10);
        node.round();
        assertThat(dictionaries("true")).isEqualTo(1);
        assertThat(eventsWith("encoding > 0")).isZero();
        var restarted = new TestNode();
        restarted.ingest(1);
        restarted.round();

        assertThat(dictionaries("true")).isEqualTo(1);
        assertThat(restarted.ingest(source, shop.next()).encoding()).isPositive();
    }

    private long eventsWith(String condition) {
        return db.call(tx ->
                tx.single(
                        "select count(*) as n from event where " + condition,
                        row -> row.number("n")));
    }

    @Test
    void a_dictionary_is_flushed_even_where_the_database_flushes_nothing_at_once() {
        db.run(tx -> {
            tx.update("set local synchronous_commit = off");
            DictionaryStore.add(tx, source, new byte[] {1, 2, 3}, Optional.empty());
            String setting =
                    tx.single(
                            "select current_setting('synchronous_commit') as value",
                            row -> row.text("value"));
            assertThat(setting).isEqualTo("on");
        });
    }

    @Test
    void another_node_reads_what_names_a_dictionary_that_it_does_not_know() {
        var other = new TestNode();
        node.ingest(SourceTraffic.FIRST_TRY_EVENTS);
        node.round();
        var payload = shop.next();
        var stored = node.ingest(source, payload);
        assertThat(stored.encoding()).isPositive();

        assertThat(other.decoder.decode(stored).body()).isEqualTo(payload.body());

        other.ingest(1);
        other.round();
        assertThat(other.ingest(source, shop.next()).encoding()).isEqualTo(stored.encoding());
    }

    @Test
    void two_nodes_make_one_dictionary() {
        var other = new TestNode();
        node.ingest(SourceTraffic.FIRST_TRY_EVENTS);
        other.ingest(SourceTraffic.FIRST_TRY_EVENTS);
        node.round();
        other.round();

        assertThat(dictionaries("true")).isEqualTo(1);
        assertThat(other.ingest(source, shop.next()).encoding())
                .isEqualTo(node.ingest(source, shop.next()).encoding())
                .isPositive();
    }

    @Test
    void no_dictionary_is_made_where_it_does_not_help() {
        var random = new Random(9);
        for (int i = 0; i < SourceTraffic.FIRST_TRY_EVENTS; i++) {
            node.ingest(source, noise(random));
        }
        node.round();
        assertThat(dictionaries("true")).isZero();

        node.ingest(SourceTraffic.FIRST_TRY_EVENTS * 10 - 1);
        node.round();
        assertThat(dictionaries("true")).as("too early for another try").isZero();
        node.ingest(1);
        node.round();
        assertThat(dictionaries("true")).isEqualTo(1);
    }

    @Test
    void one_source_never_gets_the_dictionary_of_another() {
        var other = new Given(db).source();
        node.ingest(SourceTraffic.FIRST_TRY_EVENTS);
        for (var payload : shop.next(SourceTraffic.FIRST_TRY_EVENTS)) {
            node.ingest(other, payload);
        }
        node.round();
        node.round();

        assertThat(node.ingest(source, shop.next()).encoding())
                .isPositive()
                .isNotEqualTo(node.ingest(other, shop.next()).encoding());
        assertThat(dictionaries("source_id = '%s'".formatted(other))).isEqualTo(1);
    }

    @Test
    void a_round_makes_one_dictionary_and_the_next_comes_some_seconds_later() {
        var other = new Given(db).source();
        node.ingest(SourceTraffic.FIRST_TRY_EVENTS);
        for (var payload : shop.next(SourceTraffic.FIRST_TRY_EVENTS)) {
            node.ingest(other, payload);
        }
        node.round();
        node.trainer.run();
        assertThat(dictionaries("true")).isEqualTo(1);

        node.round();
        assertThat(dictionaries("true")).isEqualTo(2);
    }

    @Test
    void a_dictionary_is_replaced_a_day_later_when_the_events_have_changed() {
        node.ingest(SourceTraffic.FIRST_TRY_EVENTS);
        node.round();
        var before = node.ingest(source, shop.next());
        Supplier<Payload> changed =
                () -> {
                    var next = shop.next();
                    return Payload.of(
                            next.headers(),
                            new String(next.body(), UTF_8)
                                    .replaceAll("[a-z_]{4,}", "x$0y")
                                    .toUpperCase(Locale.ROOT)
                                    .getBytes(UTF_8));
                };
        for (int i = 0; i < 400; i++) {
            node.ingest(source, changed.get());
        }
        node.round();
        assertThat(dictionaries("true")).as("not yet").isEqualTo(1);

        clock.advance(Duration.ofHours(25));
        node.ingest(source, changed.get());
        node.round();

        assertThat(dictionaries("replaced_at is not null")).isEqualTo(1);
        assertThat(dictionaries("replaced_at is null")).isEqualTo(1);
        var payload = changed.get();
        var after = node.ingest(source, payload);
        assertThat(after.encoding()).isPositive().isNotEqualTo(before.encoding());
        assertThat(node.decoder.decode(after).body()).isEqualTo(payload.body());
        assertThat(node.decoder.decode(before).body()).startsWith("{\"id\":\"evt_".getBytes(UTF_8));
    }

    @Test
    void a_dictionary_that_serves_as_well_as_a_fresh_one_stays() {
        node.ingest(SourceTraffic.FIRST_TRY_EVENTS);
        node.round();
        clock.advance(Duration.ofHours(25));
        node.ingest(SourceTraffic.FIRST_TRY_EVENTS);
        node.round();

        assertThat(dictionaries("true")).isEqualTo(1);
    }

    @Test
    void a_source_whose_dictionary_cannot_be_stored_does_not_keep_others_from_theirs() {
        var others = new ArrayList<SourceId>();
        node.ingest(SourceTraffic.FIRST_TRY_EVENTS);
        for (int i = 0; i < 3; i++) {
            var other = new Given(db).source();
            others.add(other);
            for (var payload : shop.next(SourceTraffic.FIRST_TRY_EVENTS)) {
                node.ingest(other, payload);
            }
        }
        db.run(tx ->
                tx.update(
                        "alter table payload_dictionary add check (source_id <> '%s')"
                                .formatted(source)));
        int failed = 0;
        for (int i = 0; i < 4; i++) {
            try {
                node.round();
            } catch (DbException e) {
                failed++;
            }
        }

        assertThat(failed).isEqualTo(1);
        for (var other : others) {
            assertThat(node.ingest(other, shop.next()).encoding()).isPositive();
        }
    }

    @Test
    void a_source_whose_dictionary_cannot_be_loaded_does_not_keep_others_from_theirs() {
        var other = new Given(db).source();
        byte[] refused = new byte[1_000]; // tables of nothing but zeros
        ByteBuffer.wrap(refused).order(ByteOrder.LITTLE_ENDIAN).putInt(0xEC30A437);
        insertDictionary(source, refused);
        node.ingest(1);
        for (var payload : shop.next(SourceTraffic.FIRST_TRY_EVENTS)) {
            node.ingest(other, payload);
        }
        try (var log = LogRecorder.of(DictionaryTrainer.class)) {
            node.round();
            node.round();
            assertThat(log.count("dictionary.read_failed")).isPositive();
        }

        assertThat(node.ingest(other, shop.next()).encoding()).isPositive();
        assertThat(node.ingest(source, shop.next()).encoding()).isZero();
    }

    @Test
    void workspaces_take_turns_at_their_first_dictionaries() {
        var many = new Given(db);
        for (int i = 0; i < 5; i++) {
            ingestEnough(many.source());
        }
        node.round();
        var one = new Given(db).source();
        ingestEnough(one);
        node.round();
        node.round();

        assertThat(dictionaries("true")).isEqualTo(3);
        assertThat(node.ingest(one, shop.next()).encoding()).isPositive();
    }

    private void ingestEnough(SourceId to) {
        for (var payload : shop.next(SourceTraffic.FIRST_TRY_EVENTS)) {
            node.ingest(to, payload);
        }
    }

    @Test
    void events_whose_verification_failed_do_not_count_and_are_no_samples() {
        for (var payload : shop.next(SourceTraffic.FIRST_TRY_EVENTS)) {
            var stored = node.encoder.encode(source, payload, false);
            insert(source, payload, stored, VerificationStatus.FAILED);
        }
        node.round();
        assertThat(dictionaries("true")).isZero();
        assertThat(node.encoder.traffic()).isEmpty();

        for (var payload : shop.next(SourceTraffic.FIRST_TRY_EVENTS)) {
            node.encoder.encode(source, payload, true); // counts, but is not stored
        }
        node.round();
        assertThat(dictionaries("true")).isZero();
    }

    @Test
    void a_dictionary_that_was_not_looked_up_for_long_is_not_used() {
        node.ingest(SourceTraffic.FIRST_TRY_EVENTS);
        node.round();
        assertThat(node.ingest(source, shop.next()).encoding()).isPositive();
        clock.advance(Duration.ofMinutes(20));

        assertThat(node.ingest(source, shop.next()).encoding())
                .as("not looked up for a quarter of an hour, by the clock that tells the time")
                .isZero();
    }

    @Test
    void a_purged_source_gets_no_dictionary() {
        node.ingest(SourceTraffic.FIRST_TRY_EVENTS);
        db.run(tx ->
                tx.update(
                        "update source set trashed_at = now(), purged_at = now() where id = ?",
                        source.value()));
        node.round();

        assertThat(dictionaries("true")).isZero();
        assertThat(node.ingest(source, shop.next()).encoding()).isNotPositive();
    }

    @Test
    void a_retired_dictionary_is_used_no_more() {
        node.ingest(SourceTraffic.FIRST_TRY_EVENTS);
        node.round();
        assertThat(node.ingest(source, shop.next()).encoding()).isPositive();
        db.run(tx -> DictionaryStore.retireBefore(tx, clock.instant(), clock.instant()));
        node.round();

        assertThat(node.ingest(source, shop.next()).encoding()).isZero();
    }

    @Test
    void a_damaged_or_missing_dictionary_is_named_and_harms_only_its_events() {
        node.ingest(SourceTraffic.FIRST_TRY_EVENTS);
        node.round();
        var stored = node.ingest(source, shop.next());
        int number = stored.encoding();
        db.run(tx ->
                tx.update(
                        "update payload_dictionary set bytes = set_byte(bytes, 700,"
                                + " get_byte(bytes, 700) # 1)"));
        var restarted = new TestNode();

        assertThatThrownBy(() -> restarted.decoder.decode(stored))
                .isInstanceOf(UnreadablePayloadException.class)
                .hasMessage("The payload dictionary " + number + " is damaged.");
        try (var log = LogRecorder.of(DictionaryTrainer.class)) {
            restarted.ingest(1);
            restarted.round();
            assertThat(log.values("dictionary.read_failed", "dictionary"))
                    .containsExactly(Integer.toString(number));
        }
        var payload = shop.next();
        var replaced = restarted.ingest(source, payload);
        assertThat(replaced.encoding()).as("a new one").isPositive().isNotEqualTo(number);
        assertThat(restarted.decoder.decode(replaced).body()).isEqualTo(payload.body());

        db.run(tx -> tx.update("delete from payload_dictionary"));
        assertThatThrownBy(() -> restarted.decoder.decode(stored))
                .isInstanceOf(UnreadablePayloadException.class)
                .hasMessage("The payload dictionary " + number + " is missing.");
    }

    @Test
    void a_payload_is_not_decoded_with_another_dictionary() {
        node.ingest(SourceTraffic.FIRST_TRY_EVENTS);
        node.round();
        var stored = node.ingest(source, shop.next());
        var other = new Given(db).source();
        var random = new Random(2);
        byte[] bytes = new byte[4_000];
        random.nextBytes(bytes);
        int number =
                db.call(tx ->
                        DictionaryStore.add(tx, other, bytes, Optional.empty()).orElseThrow());

        assertThatThrownBy(
                        () -> node.decoder.decode(StoredPayload.compressed(number, stored.body())))
                .isInstanceOf(UnreadablePayloadException.class);
    }

    @Test
    void more_dictionaries_than_memory_holds_are_read_again() {
        var random = new Random(4);
        var payloads = new ArrayList<Payload>();
        var stored = new ArrayList<StoredPayload>();
        for (int i = 0; i < 400; i++) {
            var one = Some.sourceId();
            byte[] bytes = new byte[16 << 10];
            random.nextBytes(bytes);
            int number = insertDictionary(one, bytes);
            var payload = Payload.of(List.of(), Arrays.copyOf(bytes, 5_000));
            payloads.add(payload);
            try (var dictionary = new ZstdDictCompress(bytes, FrameCompressor.LEVEL)) {
                try (var compressor = new FrameCompressor()) {
                    stored.add(
                            StoredPayload.compressed(
                                    number,
                                    compressor.compress(payload, dictionary, 1_000).orElseThrow()));
                }
            }
        }
        for (int round = 0; round < 2; round++) {
            for (int i = 0; i < stored.size(); i++) {
                assertThat(node.decoder.decode(stored.get(i)).body())
                        .isEqualTo(payloads.get(i).body());
            }
        }
    }

    private int insertDictionary(SourceId of, byte[] bytes) {
        return db.call(tx -> GivenRows.insertDictionary(tx, of, bytes, Instant.now()));
    }
}
