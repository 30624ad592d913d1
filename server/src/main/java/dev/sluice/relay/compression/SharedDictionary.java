package dev.sluice.relay.compression;

import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.concurrent.atomic.AtomicInteger;

/// A dictionary in native memory that several threads use. It is freed once its owner has closed it
/// and no thread uses it any more. Thread-safe.
///
/// @param <D> the library's type: a dictionary to compress or to decompress with
final class SharedDictionary<D extends Closeable> implements AutoCloseable {

    private final int number;
    private final D dictionary;

    /// The owner counts as one user until it closes the dictionary. 0 once it is freed.
    private final AtomicInteger users = new AtomicInteger(1);

    SharedDictionary(int number, D dictionary) {
        this.number = number;
        this.dictionary = dictionary;
    }

    int number() {
        return number;
    }

    /// Returns whether the caller may now use the dictionary; it must then call [#release]. Returns
    /// false if the dictionary is freed.
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

    /// Called once, by the owner.
    @Override
    public void close() {
        release();
    }
}
