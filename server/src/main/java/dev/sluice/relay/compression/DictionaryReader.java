package dev.sluice.relay.compression;

import com.github.luben.zstd.ZstdDictDecompress;

import dev.sluice.platform.db.Db;
import dev.sluice.relay.UnreadablePayloadException;

import org.jspecify.annotations.Nullable;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Function;

/// The dictionaries that were used last to decode payloads. Reads from the database the others,
/// such as those that another node has made. Thread-safe.
final class DictionaryReader {

    /// The memory of all dictionaries that are kept.
    private static final long MAX_BYTES = 16 << 20;

    /// The estimated memory of a dictionary beside its bytes: its tables.
    private static final int TABLE_BYTES = 28 << 10;

    /// A dictionary that is ready for use.
    private record ReadDictionary(SharedDictionary<ZstdDictDecompress> shared, int bytes) {}

    private final Db db;

    /// By number; the one that was used last is at the end. Guarded by itself.
    private final Map<Integer, ReadDictionary> kept = new LinkedHashMap<>(16, 0.75f, true);

    /// The sum of the sizes of `kept`, by which it is guarded.
    private long keptBytes;

    /// @param db a pool that no thread uses to decode payloads while it holds a connection, except
    ///   the trainer's; otherwise, the threads could wait for each other's connections
    DictionaryReader(Db db) {
        this.db = db;
    }

    /// Calls `work` with a dictionary.
    ///
    /// @throws UnreadablePayloadException if there is no such dictionary, or if it is damaged
    <T> T use(int number, Function<ZstdDictDecompress, T> work) {
        var shared = find(number);
        if (shared == null) {
            shared = keep(number, db.call(tx -> DictionaryStore.bytes(tx, number)));
        }
        try {
            return work.apply(shared.dictionary());
        } finally {
            shared.release();
        }
    }

    /// Returns the dictionary, acquired for the caller; null if it is not in memory.
    private @Nullable SharedDictionary<ZstdDictDecompress> find(int number) {
        synchronized (kept) {
            var found = kept.get(number);
            return found != null && found.shared().tryAcquire() ? found.shared() : null;
        }
    }

    /// Keeps the dictionary, and returns it, acquired for the caller.
    private SharedDictionary<ZstdDictDecompress> keep(int number, byte[] bytes) {
        var read =
                new ReadDictionary(
                        new SharedDictionary<>(number, new ZstdDictDecompress(bytes)),
                        bytes.length + TABLE_BYTES);
        synchronized (kept) {
            var other = kept.put(number, read);
            keptBytes += read.bytes();
            if (other != null) {
                drop(other);
            }
            var eldest = kept.values().iterator();
            while (keptBytes > MAX_BYTES && kept.size() > 1) {
                var dropped = eldest.next();
                eldest.remove();
                drop(dropped);
            }
            read.shared().tryAcquire();
            return read.shared();
        }
    }

    private void drop(ReadDictionary dropped) {
        keptBytes -= dropped.bytes();
        dropped.shared().close();
    }
}
