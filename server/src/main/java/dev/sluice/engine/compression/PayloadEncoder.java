package dev.sluice.engine.compression;

import com.github.luben.zstd.ZstdDictCompress;

import dev.sluice.engine.Payload;
import dev.sluice.engine.PayloadMeter;
import dev.sluice.engine.StoredPayload;
import dev.sluice.gateway.source.SourceId;
import dev.sluice.platform.loop.Wake;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/// Compresses event payloads before they are stored. A payload that would not become clearly
/// smaller is stored uncompressed.
///
/// Small payloads are compressed with their source's dictionary, if the source has one.
/// Thread-safe. Each request thread compresses its own payload, so that the single thread that
/// stores events does not have to.
public final class PayloadEncoder {

    private static final Logger log = LoggerFactory.getLogger(PayloadEncoder.class);

    /// The maximum size of a body that is compressed with a dictionary.
    static final int MAX_SMALL_BODY_BYTES = 16 << 10;

    /// The maximum size of a payload that is compressed with a dictionary. The frame of such a
    /// payload is smaller than [dev.sluice.engine.PayloadDecoder#BEGINNING_BYTES].
    private static final int MAX_SMALL_BYTES = 48 << 10;

    /// Compression must save at least this many bytes, and at least a tenth of the payload.
    private static final int MIN_SAVED_BYTES = 32;

    private final boolean isOn;
    private final PayloadMeter meter;
    private final InstantSource clock;
    private final CodecPool<FrameCompressor> compressors = new CodecPool<>(FrameCompressor::new);

    /// The traffic of each source. The [DictionaryTrainer] removes sources that no longer exist.
    private final Map<SourceId, SourceTraffic> traffic = new ConcurrentHashMap<>();

    private final Wake trainer;

    private PayloadEncoder(boolean isOn, PayloadMeter meter, InstantSource clock, Wake trainer) {
        this.isOn = isOn;
        this.meter = meter;
        this.clock = clock;
        this.trainer = trainer;
    }

    /// Returns an encoder that compresses payloads.
    ///
    /// @param trainer wakes the [DictionaryTrainer]. Called after a source's first small event
    ///   since the node started, and again when the source has sent enough events for the next try
    ///   to make a dictionary
    public static PayloadEncoder on(PayloadMeter meter, InstantSource clock, Wake trainer) {
        return new PayloadEncoder(true, meter, clock, trainer);
    }

    /// Returns an encoder that compresses nothing.
    public static PayloadEncoder off(PayloadMeter meter, InstantSource clock) {
        return new PayloadEncoder(false, meter, clock, new Wake());
    }

    /// Loads the native library. Called when the server starts, so that a server that cannot load
    /// the library does not start.
    ///
    /// @throws IOException if the library cannot be loaded; the message says what to do
    public static void loadLibrary() throws IOException {
        try (var compressor = new FrameCompressor()) {
            compressor.compress(Payload.of(List.of(), new byte[1]), null, 1);
        } catch (LinkageError e) {
            throw new IOException(
                    "the zstd library cannot be loaded ("
                            + e.getMessage()
                            + "). It is unpacked into the JVM's temporary"
                            + " directory, which must allow programs. Choose another one with"
                            + " JAVA_OPTS=-Djava.io.tmpdir=DIRECTORY.",
                    e);
        }
    }

    /// Returns the form in which to store the payload of an event from this source.
    ///
    /// @param isGenuine false if the event failed verification. Only genuine events influence the
    ///   dictionary, so nobody without the source's secret can influence it
    public StoredPayload encode(SourceId source, Payload payload, boolean isGenuine) {
        var stored = isOn ? compressed(source, payload, isGenuine) : StoredPayload.plain(payload);
        meter.count(plainBytes(payload), stored.bytes());
        return stored;
    }

    private StoredPayload compressed(SourceId source, Payload payload, boolean isGenuine) {
        try {
            if (!isSmall(payload)) {
                return compressed(payload, null);
            }
            var ofSource = isGenuine ? trafficOf(source) : traffic.get(source);
            if (ofSource == null) {
                return compressed(payload, null);
            }
            if (isGenuine && ofSource.count()) {
                trainer.wake();
            }
            var dictionary = ofSource.acquire();
            try {
                return compressed(payload, dictionary);
            } finally {
                if (dictionary != null) {
                    dictionary.release();
                }
            }
        } catch (RuntimeException e) {
            log.atWarn()
                    .addKeyValue("source_id", source)
                    .setCause(e)
                    .log("payload.compression_failed");
            return StoredPayload.plain(payload);
        }
    }

    private StoredPayload compressed(
            Payload payload, @Nullable SharedDictionary<ZstdDictCompress> dictionary) {
        Optional<byte[]> frame =
                compress(payload, dictionary == null ? null : dictionary.dictionary());
        if (frame.isEmpty() && dictionary != null) {
            return compressed(payload, null);
        }
        int number = dictionary == null ? StoredPayload.WITHOUT_DICTIONARY : dictionary.number();
        return frame.map(bytes -> StoredPayload.compressed(number, bytes))
                .orElseGet(() -> StoredPayload.plain(payload));
    }

    /// Returns the frame, or empty if it is not clearly smaller than the payload.
    private Optional<byte[]> compress(Payload payload, @Nullable ZstdDictCompress dictionary) {
        int plain = plainBytes(payload);
        int maxBytes = plain - Math.max(MIN_SAVED_BYTES, plain / 10);
        return maxBytes <= 0 || plain > FrameContent.MAX_PAYLOAD_BYTES
                ? Optional.empty()
                : compressors.use(compressor -> compressor.compress(payload, dictionary, maxBytes));
    }

    /// Returns the total number of bytes that these payloads take when stored.
    ///
    /// @param dictionary null to compress without one
    long storedBytes(Iterable<Payload> payloads, @Nullable ZstdDictCompress dictionary) {
        long sum = 0;
        for (var payload : payloads) {
            sum +=
                    compress(payload, dictionary)
                            .map(frame -> frame.length)
                            .orElseGet(() -> plainBytes(payload));
        }
        return sum;
    }

    static boolean isSmall(Payload payload) {
        return payload.body().length <= MAX_SMALL_BODY_BYTES
                && plainBytes(payload) <= MAX_SMALL_BYTES;
    }

    private static int plainBytes(Payload payload) {
        return payload.headerLines().length + payload.body().length;
    }

    private SourceTraffic trafficOf(SourceId source) {
        var known = traffic.get(source);
        return known != null
                ? known
                : traffic.computeIfAbsent(source, _ -> new SourceTraffic(clock));
    }

    /// Returns the traffic of each source that has sent small genuine events since the node
    /// started. Used by the trainer.
    Map<SourceId, SourceTraffic> traffic() {
        return traffic;
    }
}
