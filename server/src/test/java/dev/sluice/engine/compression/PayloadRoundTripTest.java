package dev.sluice.engine.compression;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import com.github.luben.zstd.Zstd;

import dev.sluice.engine.Payload;
import dev.sluice.engine.PayloadDecoder;
import dev.sluice.engine.PayloadMeter;
import dev.sluice.engine.StoredPayload;
import dev.sluice.engine.UnreadablePayloadException;
import dev.sluice.gateway.source.SourceId;
import dev.sluice.platform.http.Header;
import dev.sluice.platform.loop.Wake;
import dev.sluice.testkit.Some;
import dev.sluice.testkit.TestPostgres;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;

/// Payloads are decoded byte for byte as they were encoded, and damaged ones are noticed.
class PayloadRoundTripTest {

    private final PayloadMeter meter = new PayloadMeter();
    private final PayloadEncoder encoder =
            PayloadEncoder.on(meter, InstantSource.system(), new Wake());
    private final SourceId source = Some.sourceId();

    /// Reads no dictionary in this class.
    private final PayloadDecoder decoder =
            new ZstdPayloadDecoder(TestPostgres.open(TestPostgres.newDatabase()));

    private static byte[] random(int size) {
        byte[] bytes = new byte[size];
        new Random(size).nextBytes(bytes);
        return bytes;
    }

    private static byte[] text(int size) {
        return "{\"order\":\"one of many\"},"
                .repeat(size / 20 + 1)
                .substring(0, size)
                .getBytes(UTF_8);
    }

    private static Payload payload(byte[] body) {
        return Payload.of(List.of(new Header("Content-Type", "application/json")), body);
    }

    /// Header lines with every byte that a header value may have.
    private static Payload allLatin1() {
        var value = new StringBuilder();
        for (char c = 1; c < 256; c++) {
            if (c != '\r' && c != '\n') {
                value.append(c);
            }
        }
        return Payload.of(
                List.of(new Header("X-All", value.toString()), new Header("X-Empty", "")),
                text(500));
    }

    private static Stream<Payload> shapes() {
        return Stream.of(
                Payload.of(List.of(), new byte[0]),
                payload(new byte[0]),
                payload(new byte[1]),
                payload(random(1)),
                payload(random(100)),
                payload(random(1_000)),
                payload(random(70_000)),
                payload(random(Payload.MAX_BODY_BYTES)),
                payload(text(31)),
                payload(text(200)),
                payload(text(1_000)),
                payload(text(PayloadEncoder.MAX_SMALL_BODY_BYTES)),
                payload(text(PayloadEncoder.MAX_SMALL_BODY_BYTES + 1)),
                payload(text(65_536)),
                payload(text(Payload.MAX_BODY_BYTES)),
                payload(new byte[Payload.MAX_BODY_BYTES]),
                Payload.of(
                        List.of(new Header("X-Long", "header ".repeat(4_500))),
                        text(Payload.MAX_BODY_BYTES)),
                Payload.of(List.of(new Header("X-Long", "header ".repeat(9_000))), text(1_000)),
                allLatin1(),
                new ShopEvents(1).next());
    }

    @ParameterizedTest
    @MethodSource("shapes")
    void what_is_decoded_is_what_was_encoded(Payload payload) {
        var stored = encoder.encode(source, payload, true);

        var decoded = decoder.decode(stored);
        assertThat(decoded.body()).isEqualTo(payload.body());
        assertThat(decoded.headerLines()).isEqualTo(payload.headerLines());
        assertThat(decoded.headers()).isEqualTo(payload.headers());
        assertThat(stored.bytes())
                .isLessThanOrEqualTo(payload.body().length + payload.headerLines().length);
    }

    @ParameterizedTest
    @MethodSource("shapes")
    void the_beginnings_are_those_of_the_whole(Payload payload) {
        var stored = encoder.encode(source, payload, true);
        byte[] read = stored.body();
        var cut =
                StoredPayload.of(
                        stored.isPlain() ? Optional.empty() : Optional.of(stored.encoding()),
                        stored.headers(),
                        Arrays.copyOf(read, Math.min(read.length, PayloadDecoder.BEGINNING_BYTES)));

        var beginning = decoder.beginning(cut, 4_096, 2_048);

        assertThat(beginning.headerLines()).isEqualTo(beginning(payload.headerLines(), 4_096));
        assertThat(beginning.body()).isEqualTo(beginning(payload.body(), 2_048));
    }

    private static byte[] beginning(byte[] all, int limit) {
        return Arrays.copyOf(all, Math.min(all.length, limit));
    }

    @Test
    void what_does_not_get_clearly_smaller_stays_as_it_is() {
        for (var payload :
                List.of(
                        payload(random(1_000)),
                        payload(random(Payload.MAX_BODY_BYTES)),
                        Payload.of(List.of(), text(40)))) {
            var stored = encoder.encode(source, payload, true);

            assertThat(stored.isPlain()).isTrue();
            assertThat(stored.body()).isSameAs(payload.body());
        }
        assertThat(encoder.encode(source, payload(text(1_000)), true).encoding()).isZero();
    }

    @Test
    void an_encoder_that_is_off_compresses_nothing() {
        var stored =
                PayloadEncoder.off(meter, InstantSource.system())
                        .encode(source, payload(text(1_000)), true);

        assertThat(stored.isPlain()).isTrue();
        assertThat(decoder.decode(stored).body()).isEqualTo(text(1_000));
    }

    @Test
    void bytes_are_counted_in_both_forms() {
        var payload = payload(text(1_000));

        var stored = encoder.encode(source, payload, true);

        assertThat(meter.bytes())
                .containsEntry("plain", 1_000L + payload.headerLines().length)
                .containsEntry("stored", (long) stored.bytes());
    }

    /// Whichever bit of a frame flips, the payload is refused or is still the same.
    @Test
    void a_flipped_bit_never_gives_another_payload() {
        var payload = new ShopEvents(7).next();
        byte[] frame = encoder.encode(source, payload, true).body();
        int refused = 0;
        for (int bit = 0; bit < frame.length * 8; bit++) {
            byte[] damaged = frame.clone();
            damaged[bit / 8] ^= (byte) (1 << bit % 8);
            try {
                assertThat(decoder.decode(StoredPayload.compressed(0, damaged)).body())
                        .isEqualTo(payload.body());
            } catch (UnreadablePayloadException e) {
                refused++;
            }
        }
        assertThat(refused).isGreaterThan(frame.length * 7);
    }

    @Test
    void a_frame_with_wrong_lengths_is_refused() {
        byte[] tooLong = {0, 0, 0, 9, 'a', ':', ' ', 'b'};
        byte[] negative = {-1, -1, -1, -1, 'a'};
        for (byte[] frame :
                List.of(
                        new byte[0],
                        "no frame".getBytes(ISO_8859_1),
                        Zstd.compress(tooLong),
                        Zstd.compress(negative),
                        Zstd.compress(new byte[3]),
                        Zstd.compress(new byte[2 << 20]))) {
            assertThatThrownBy(() -> decoder.decode(StoredPayload.compressed(0, frame)))
                    .isInstanceOf(UnreadablePayloadException.class);
            assertThatThrownBy(() ->
                            decoder.decode(
                                    StoredPayload.compressed(
                                            0, Arrays.copyOf(frame, frame.length / 2))))
                    .isInstanceOf(UnreadablePayloadException.class);
        }
    }

    @Test
    void many_threads_share_the_codecs() throws Exception {
        var shapes = shapes().toList();
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var results = new ArrayList<Future<?>>();
            for (int thread = 0; thread < 64; thread++) {
                var random = new Random(thread);
                results.add(
                        threads.submit(() -> {
                            for (int i = 0; i < 20; i++) {
                                var payload = shapes.get(random.nextInt(shapes.size()));
                                var stored = encoder.encode(source, payload, true);
                                assertThat(decoder.decode(stored).body()).isEqualTo(payload.body());
                            }
                        }));
            }
            for (var result : results) {
                result.get();
            }
        }
    }
}
