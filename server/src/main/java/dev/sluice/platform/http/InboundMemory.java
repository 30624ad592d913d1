package dev.sluice.platform.http;

import static java.util.Comparator.comparingLong;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;

/// Limits the memory that requests use while they are arriving, and shares it fairly among
/// workspaces and their sources. Thread-safe.
///
/// While there is room, every request gets the memory it asks for. If there is no room, another
/// request is shed, which means that it must end and give its memory back. The request to shed is
/// chosen from the workspace that holds the most memory, and there from the source that holds the
/// most. Of that source's requests, the one that has been arriving longest is shed. A workspace or
/// source loses memory only to one that holds less, counting the bytes that the new request asks
/// for. Within one source, a request is shed only after it has been arriving for some time; until
/// then, the new request is refused.
///
/// Suppose that `m` other workspaces and `n` other sources in the request's own workspace hold
/// memory. Then the request finds no room only if it would take its workspace above `1 / (m + 1)`
/// of the limit, and its source above `1 / (n + 1)` of that share. This is true no matter how much
/// memory the others hold or in what order they got it. Requests that have arrived completely and
/// are being answered are never shed. In this calculation, their memory is subtracted from the
/// limit.
///
/// The limit is seven eighths of the capacity. A shed request gives its memory back shortly
/// afterwards. In the meantime, the requests that take its place may use the last eighth of the
/// capacity. A request that does not fit into that eighth is refused.
public final class InboundMemory {

    private static final int RESERVE_DIVISOR = 8;

    /// How long a request body must have been arriving before its memory can go to another request
    /// to the same source. This is longer than 1 MiB takes to arrive at 300 kbit/s.
    private static final Duration MIN_BODY_SHED_AGE = Duration.ofSeconds(30);

    /// The memory reserved for one request.
    final class Reservation {

        private final Object workspace;
        private final Object source;
        private final Runnable onShed;
        private final long start = nanoTime.getAsLong();
        private int bytes;
        private boolean isShed;

        private Reservation(Object workspace, Object source, Runnable onShed) {
            this.workspace = workspace;
            this.source = source;
            this.onShed = onShed;
        }

        /// Reserves this many more bytes. If there is no room for them, or if this request has been
        /// shed, reserves nothing and returns false.
        boolean tryGrow(int more) {
            return InboundMemory.this.tryGrow(this, more);
        }

        /// Marks the request as completely received. It can no longer be shed, and keeps its memory
        /// until it is answered.
        void keep() {
            lock.lock();
            try {
                @Nullable SourceUse use = sources.get(source);
                if (use != null) {
                    use.arriving.remove(this);
                }
            } finally {
                lock.unlock();
            }
        }

        /// Gives back all of the request's memory.
        void release() {
            lock.lock();
            try {
                reservedBytes -= bytes;
                if (isShed) {
                    shedBytes -= bytes;
                } else if (bytes > 0) {
                    remove(this);
                }
                bytes = 0;
            } finally {
                lock.unlock();
            }
        }
    }

    /// The memory reserved for the requests to one source.
    private static final class SourceUse {

        private final Object workspace;
        private long bytes;

        /// The requests that are still arriving, oldest first.
        private final LinkedHashSet<Reservation> arriving = new LinkedHashSet<>();

        private SourceUse(Object workspace) {
            this.workspace = workspace;
        }
    }

    private final long capacityBytes;
    private final long limitBytes;
    private final Duration minShedAge;
    private final LongSupplier nanoTime;

    private final ReentrantLock lock = new ReentrantLock();
    private final Map<Object, SourceUse> sources = new HashMap<>();
    private final Map<Object, Long> workspaceBytes = new HashMap<>();
    private long reservedBytes;

    /// The part of `reservedBytes` that shed requests have not given back yet.
    private long shedBytes;

    /// @param minShedAge how long a request must have been arriving before its memory can go to
    ///   another request to the same source
    InboundMemory(long capacityBytes, Duration minShedAge, LongSupplier nanoTime) {
        this.capacityBytes = capacityBytes;
        this.limitBytes = capacityBytes - capacityBytes / RESERVE_DIVISOR;
        this.minShedAge = minShedAge;
        this.nanoTime = nanoTime;
    }

    /// Creates the instance that request bodies share. Its capacity is `bytes`, or the heap size
    /// divided by `heapDivisor` if that is less.
    public static InboundMemory forBodies(long bytes, int heapDivisor) {
        return of(bytes, heapDivisor, MIN_BODY_SHED_AGE);
    }

    static InboundMemory of(long bytes, int heapDivisor, Duration minShedAge) {
        return new InboundMemory(
                Math.min(bytes, Runtime.getRuntime().maxMemory() / heapDivisor),
                minShedAge,
                System::nanoTime);
    }

    /// Opens a reservation, which is empty at first.
    ///
    /// @param source identifies the source; the objects for sources in different workspaces must
    ///   not be equal
    /// @param onShed called when the request is shed. It runs on another request's thread, which it
    ///   must not block. The shed request must release its memory soon afterwards
    Reservation open(Object workspace, Object source, Runnable onShed) {
        return new Reservation(workspace, source, onShed);
    }

    /// Returns how many bytes of the capacity are not reserved.
    long freeBytes() {
        lock.lock();
        try {
            return capacityBytes - reservedBytes;
        } finally {
            lock.unlock();
        }
    }

    /// Returns how many bytes each workspace has reserved for requests that were not shed.
    public Map<Object, Long> bytesByWorkspace() {
        lock.lock();
        try {
            return Map.copyOf(workspaceBytes);
        } finally {
            lock.unlock();
        }
    }

    private boolean tryGrow(Reservation asking, int more) {
        var shed = new ArrayList<Reservation>();
        lock.lock();
        try {
            if (asking.isShed || reservedBytes + more > capacityBytes) {
                return false;
            }
            while (reservedBytes - shedBytes + more > limitBytes) {
                var victim = findVictim(asking, more);
                if (victim.isEmpty()) {
                    return false;
                }
                shed(victim.get());
                shed.add(victim.get());
            }
            add(asking, more);
            return true;
        } finally {
            lock.unlock();
            shed.forEach(victim -> victim.onShed.run());
        }
    }

    private Optional<Reservation> findVictim(Reservation asking, int more) {
        long workspace = workspaceBytes(asking.workspace) + more;
        @Nullable SourceUse own = sources.get(asking.source);
        long source = (own == null ? 0 : own.bytes) + more;
        return sources.values().stream()
                .filter(use -> !use.arriving.isEmpty())
                .filter(use ->
                        use.workspace.equals(asking.workspace)
                                ? use.bytes > source
                                : workspaceBytes(use.workspace) > workspace)
                .max(
                        comparingLong((SourceUse use) -> workspaceBytes(use.workspace))
                                .thenComparingLong(use -> use.bytes))
                .or(() -> Optional.ofNullable(own).filter(use -> isOldestOverdue(use, asking)))
                .map(use -> use.arriving.getFirst());
    }

    private boolean isOldestOverdue(SourceUse own, Reservation asking) {
        if (own.arriving.isEmpty() || own.arriving.getFirst() == asking) {
            return false;
        }
        long age = nanoTime.getAsLong() - own.arriving.getFirst().start;
        return age >= minShedAge.toNanos();
    }

    private void add(Reservation asking, int more) {
        reservedBytes += more;
        asking.bytes += more;
        var use = sources.computeIfAbsent(asking.source, _ -> new SourceUse(asking.workspace));
        use.bytes += more;
        use.arriving.add(asking);
        workspaceBytes.merge(asking.workspace, (long) more, Long::sum);
    }

    private void shed(Reservation victim) {
        remove(victim);
        victim.isShed = true;
        shedBytes += victim.bytes;
    }

    private void remove(Reservation reservation) {
        var use = Objects.requireNonNull(sources.get(reservation.source));
        use.arriving.remove(reservation);
        use.bytes -= reservation.bytes;
        if (use.bytes == 0) {
            sources.remove(reservation.source);
        }
        workspaceBytes.computeIfPresent(
                reservation.workspace,
                (_, bytes) -> bytes == reservation.bytes ? null : bytes - reservation.bytes);
    }

    private long workspaceBytes(Object workspace) {
        return workspaceBytes.getOrDefault(workspace, 0L);
    }
}
