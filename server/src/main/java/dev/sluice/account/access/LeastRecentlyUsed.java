package dev.sluice.account.access;

import java.util.LinkedHashMap;
import java.util.Map;

/// A map of at most `maxSize` entries. If an insertion exceeds `maxSize`, the map drops the least
/// recently read or written entry. Not thread-safe.
public final class LeastRecentlyUsed<K, V> extends LinkedHashMap<K, V> {

    private final int maxSize;

    public LeastRecentlyUsed(int maxSize) {
        super(16, 0.75f, true);
        this.maxSize = maxSize;
    }

    @Override
    protected boolean removeEldestEntry(Map.Entry<K, V> eldest) {
        return size() > maxSize;
    }
}
