package dev.sluice.engine.compression;

import dev.sluice.engine.Payload;
import dev.sluice.engine.PayloadDecoder;
import dev.sluice.engine.StoredPayload;
import dev.sluice.platform.db.Db;

import java.util.Arrays;
import java.util.function.Supplier;

/// A [PayloadDecoder] that uses the zstd library.
public final class ZstdPayloadDecoder implements PayloadDecoder {

    private final CodecPool<FrameDecompressor> decompressors =
            new CodecPool<>(FrameDecompressor::new);
    private final DictionaryReader dictionaries;

    /// @param db a connection pool that nothing else uses. A dictionary is read while the caller
    ///   holds a connection from another pool; if both came from one pool, callers could block each
    ///   other
    public ZstdPayloadDecoder(Db db) {
        dictionaries = new DictionaryReader(db);
    }

    @Override
    public Payload decode(StoredPayload stored) {
        return withLibrary(() -> decodeWhole(stored));
    }

    private Payload decodeWhole(StoredPayload stored) {
        return switch (stored.encoding()) {
            case StoredPayload.PLAIN -> Payload.fromStored(stored.headers(), stored.body());
            case StoredPayload.WITHOUT_DICTIONARY ->
                    decompressors.use(one -> one.decompress(stored.body(), null));
            default ->
                    dictionaries.use(
                            stored.encoding(),
                            dictionary ->
                                    decompressors.use(
                                            one -> one.decompress(stored.body(), dictionary)));
        };
    }

    @Override
    public Payload beginning(StoredPayload stored, int headerBytes, int bodyBytes) {
        return withLibrary(() -> decodeBeginning(stored, headerBytes, bodyBytes));
    }

    private Payload decodeBeginning(StoredPayload stored, int headerBytes, int bodyBytes) {
        if (stored.encoding() == StoredPayload.WITHOUT_DICTIONARY
                && !FrameDecompressor.isWholeAndSmall(stored.body())) {
            return FrameDecompressor.beginning(stored.body(), headerBytes, bodyBytes);
        }
        // Small payloads are decoded whole. All frames that need a dictionary are small, so they
        // are complete here.
        var whole = decodeWhole(stored);
        return Payload.fromStored(
                beginning(whole.headerLines(), headerBytes), beginning(whole.body(), bodyBytes));
    }

    /// Runs `work`. If the library cannot be loaded, throws an `IllegalStateException` instead of
    /// the `LinkageError`. The payload may be intact, so it does not count as unreadable: its
    /// deliveries stay in their lanes, and other lanes continue.
    private static Payload withLibrary(Supplier<Payload> work) {
        try {
            return work.get();
        } catch (LinkageError e) {
            throw new IllegalStateException("the compression library cannot be loaded", e);
        }
    }

    private static byte[] beginning(byte[] all, int limit) {
        return all.length <= limit ? all : Arrays.copyOf(all, limit);
    }
}
