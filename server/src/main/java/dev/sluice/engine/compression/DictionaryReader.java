package dev.sluice.engine.compression;

import com.github.luben.zstd.ZstdDictDecompress;

import dev.sluice.engine.UnreadablePayloadException;
import dev.sluice.platform.db.Db;

import org.jspecify.annotations.Nullable;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Stream;

/// A cache of the dictionaries that were recently used to decode payloads. It reads other
/// dictionaries from the database when they are needed, for example those made by another node.
/// Thread-safe.
final class DictionaryReader {

    /// The maximum total memory, in bytes, of the dictionaries in `kept`.
    private static final long MAX_BYTES = 16 << 20;

    private static final int READ_LOCKS = 16;

    /// The estimated memory, in bytes, that a dictionary's tables need in addition to the
    /// dictionary's own bytes.
    private static final int TABLE_BYTES = 28 << 10;

    /// A dictionary that is ready for use.
    private record ReadDictionary(SharedDictionary<ZstdDictDecompress> shared, int bytes) {}

    private final Db db;

    /// The dictionaries in memory, by number. The most recently used one is last. Guarded by this
    /// map's own monitor.
    private final Map<Integer, ReadDictionary> kept = new LinkedHashMap<>(16, 0.75f, true);

    private final List<Object> readLocks = Stream.generate(Object::new).limit(READ_LOCKS).toList();

    /// The sum of the sizes of the dictionaries in `kept`. Guarded by the monitor of `kept`.
    private long keptBytes;

    /// @param db a connection pool that only this class uses. A dictionary is read while the caller
    ///   holds a connection from another pool; if both came from one pool, callers could block each
    ///   other
    DictionaryReader(Db db) {
        this.db = db;
    }

    /// Calls `work` with a dictionary.
    ///
    /// @throws UnreadablePayloadException if no dictionary has this number, or if the dictionary is
    ///   damaged
    <T> T use(int number, Function<ZstdDictDecompress, T> work) {
        var found = find(number);
        var shared = found == null ? read(number) : found;
        try {
            return work.apply(shared.dictionary());
        } finally {
            shared.release();
        }
    }

    /// Reads a dictionary from the database. Threads that need the same dictionary share one read.
    private SharedDictionary<ZstdDictDecompress> read(int number) {
        synchronized (readLocks.get(Math.floorMod(number, READ_LOCKS))) {
            var found = find(number);
            return found == null
                    ? keep(number, db.call(tx -> DictionaryStore.bytes(tx, number)))
                    : found;
        }
    }

    /// Acquires the dictionary for the caller and returns it, or returns null if it is not in
    /// memory.
    private @Nullable SharedDictionary<ZstdDictDecompress> find(int number) {
        synchronized (kept) {
            var found = kept.get(number);
            return found != null && found.shared().tryAcquire() ? found.shared() : null;
        }
    }

    /// Adds the dictionary to `kept`, acquires it for the caller and returns it.
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
