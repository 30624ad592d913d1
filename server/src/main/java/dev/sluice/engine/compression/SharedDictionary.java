package dev.sluice.engine.compression;

import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.concurrent.atomic.AtomicInteger;

/// A dictionary in native memory that several threads share. The memory is freed after the owner
/// has closed the dictionary and the last thread has released it. Thread-safe.
///
/// @param <D> the library's dictionary type, either for compression or for decompression
final class SharedDictionary<D extends Closeable> implements AutoCloseable {

    private final int number;
    private final D dictionary;

    /// The number of users. The owner counts as one until it closes the dictionary. The number is 0
    /// once the memory has been freed.
    private final AtomicInteger users = new AtomicInteger(1);

    SharedDictionary(int number, D dictionary) {
        this.number = number;
        this.dictionary = dictionary;
    }

    int number() {
        return number;
    }

    /// Tries to acquire the dictionary. Returns true if the caller may use it now and must later
    /// call [#release]. Returns false if the dictionary has been freed.
    boolean tryAcquire() {
        return users.getAndUpdate(count -> count == 0 ? 0 : count + 1) > 0;
    }

    D dictionary() {
        return dictionary;
    }

    void release() {
        if (users.decrementAndGet() == 0) {
            try {
                dictionary.close();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    /// Closes the dictionary. The owner calls this once.
    @Override
    public void close() {
        release();
    }
}
