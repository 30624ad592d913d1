package dev.sluice.platform.http;

import dev.sluice.platform.share.FairShare;
import dev.sluice.platform.share.Portion;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.LongSupplier;

/// Limits the memory of answers, from before they are built until the client has taken the last
/// byte, and shares it fairly among workspaces. Thread-safe.
///
/// Workspaces share the memory by the [FairShare] rule, counted in units of 16 KiB. A single
/// workspace therefore gets half of the memory, and `n` workspaces leave at least `1/(n+1)` of it
/// free. A workspace that holds nothing gets a first unit as long as one is free.
///
/// An answer that finds no room is refused before it is built. At the same time, the answers whose
/// clients read too slowly are dropped, those of the same workspace and those of the workspace that
/// holds the most, so that a later request finds room.
public final class AnswerMemory {

    /// The memory that is reserved for each request to the management API, which is enough for most
    /// answers.
    static final int SMALL_ANSWER_BYTES = 16 << 10;

    private static final int UNIT_BYTES = 16 << 10;

    /// The capacity is the heap size divided by this number.
    private static final int HEAP_DIVISOR = 8;

    /// How long a client may take before its rate counts.
    private static final Duration MIN_SLOW_AGE = Duration.ofSeconds(5);

    /// A client that reads at this rate is not slow.
    private static final int MIN_BYTES_PER_SECOND = 16 << 10;

    /// The memory of one answer.
    final class AnswerReservation {

        private final UUID workspace;
        private long bytes;

        /// Closes the connection. Empty while the answer is being built.
        private Optional<Runnable> drop = Optional.empty();

        private long writingSince;
        private long taken;

        private AnswerReservation(UUID workspace) {
            this.workspace = workspace;
        }

        /// Reserves memory until this answer has `total` bytes.
        ///
        /// @throws ApiException 503 if there is no room. This answer then keeps what it had
        void growTo(long total) {
            if (!tryGrowTo(this, total)) {
                throw ApiException.unavailable(
                        "Too many answers are being built or read. Read the answers that you asked"
                                + " for, or try again with fewer at once.");
            }
        }

        /// Counts the bytes of an answer that was built already and must be sent.
        void countTo(long total) {
            count(this, total);
        }

        /// Says that the answer is complete and that the client should read it now.
        ///
        /// @param closeConnection called if the client is slow and others need the memory. It runs
        ///   on another request's thread, which it must not block
        void beginWriting(Runnable closeConnection) {
            begin(this, closeConnection);
        }

        /// Says that the client took this many more bytes.
        void taken(long more) {
            advance(this, more);
        }

        /// Gives back all of the answer's memory. May be called more than once.
        void release() {
            end(this);
        }
    }

    /// The answers of one workspace.
    private static final class AnswersOfWorkspace {

        private final Portion units = new Portion();
        private long bytes;
        private final Set<AnswerReservation> written = new LinkedHashSet<>();
    }

    private final FairShare units;
    private final LongSupplier nanoTime;
    private final Map<UUID, AnswersOfWorkspace> workspaces = new HashMap<>();

    AnswerMemory(long capacityBytes, LongSupplier nanoTime) {
        this.units = new FairShare((int) (capacityBytes / UNIT_BYTES));
        this.nanoTime = nanoTime;
    }

    /// Returns the memory for the answers of this process, an eighth of the heap.
    public static AnswerMemory ofHeap() {
        return ofBytes(Runtime.getRuntime().maxMemory() / HEAP_DIVISOR);
    }

    public static AnswerMemory ofBytes(long capacityBytes) {
        return new AnswerMemory(capacityBytes, System::nanoTime);
    }

    /// Opens a reservation, which is empty at first.
    ///
    /// @param workspace the workspace or the person that asks
    AnswerReservation open(UUID workspace) {
        return new AnswerReservation(workspace);
    }

    /// Returns how many bytes the answers of each workspace hold.
    public synchronized Map<UUID, Long> bytesByWorkspace() {
        var bytes = new HashMap<UUID, Long>();
        workspaces.forEach((workspace, use) -> bytes.put(workspace, use.bytes));
        return bytes;
    }

    private boolean tryGrowTo(AnswerReservation answer, long total) {
        List<AnswerReservation> slow;
        synchronized (this) {
            if (isRoom(answer, total)) {
                set(answer, Math.max(answer.bytes, total));
                return true;
            }
            slow = takeSlow(answer.workspace);
        }
        slow.forEach(each -> each.drop.orElseThrow().run());
        return false;
    }

    private boolean isRoom(AnswerReservation answer, long total) {
        var use = workspaces.getOrDefault(answer.workspace, new AnswersOfWorkspace());
        int wanted = units(use.bytes + total - answer.bytes);
        int held = use.units.held();
        return wanted <= held
                || (wanted == 1 ? units.free() > 0 : units.mayHold(use.units, wanted));
    }

    private static int units(long bytes) {
        return (int) Math.ceilDiv(bytes, UNIT_BYTES);
    }

    /// Removes and returns the answers that a client reads too slowly.
    private List<AnswerReservation> takeSlow(UUID asking) {
        var slow = new ArrayList<AnswerReservation>();
        var largest =
                workspaces.entrySet().stream()
                        .max(Comparator.comparingLong(use -> use.getValue().bytes))
                        .map(Map.Entry::getKey);
        for (var entry : workspaces.entrySet()) {
            if (entry.getKey().equals(asking) || largest.equals(Optional.of(entry.getKey()))) {
                entry.getValue().written.stream().filter(this::isSlow).forEach(slow::add);
                slow.forEach(entry.getValue().written::remove);
            }
        }
        return slow;
    }

    private boolean isSlow(AnswerReservation answer) {
        long age = nanoTime.getAsLong() - answer.writingSince;
        return age >= MIN_SLOW_AGE.toNanos()
                && answer.taken < age / 1_000_000_000.0 * MIN_BYTES_PER_SECOND;
    }

    private synchronized void count(AnswerReservation answer, long total) {
        set(answer, Math.max(answer.bytes, total));
    }

    private synchronized void begin(AnswerReservation answer, Runnable closeConnection) {
        answer.drop = Optional.of(closeConnection);
        answer.writingSince = nanoTime.getAsLong();
        answer.taken = 0;
        workspaces
                .computeIfAbsent(answer.workspace, _ -> new AnswersOfWorkspace())
                .written
                .add(answer);
    }

    private synchronized void advance(AnswerReservation answer, long more) {
        answer.taken += more;
    }

    private synchronized void end(AnswerReservation answer) {
        var use = workspaces.get(answer.workspace);
        if (use != null) {
            use.written.remove(answer);
            set(answer, 0);
        }
    }

    private void set(AnswerReservation answer, long total) {
        var use = workspaces.computeIfAbsent(answer.workspace, _ -> new AnswersOfWorkspace());
        use.bytes += total - answer.bytes;
        answer.bytes = total;
        int wanted = units(use.bytes);
        while (use.units.held() < wanted) {
            units.take(use.units);
        }
        while (use.units.held() > wanted) {
            units.giveBack(use.units);
        }
        if (use.bytes == 0 && use.written.isEmpty()) {
            workspaces.remove(answer.workspace);
        }
    }
}
