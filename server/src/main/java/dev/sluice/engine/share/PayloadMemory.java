package dev.sluice.engine.share;

import dev.sluice.platform.share.FairShare;
import dev.sluice.platform.share.Portion;

/// A byte budget for the payloads in memory, shared fairly among workspaces and destinations.
///
/// Workspaces share the budget by the [FairShare] rule, counted in units of 16 KiB. A single active
/// workspace therefore gets half of the memory, and `n` active workspaces leave at least `1/(n+1)`
/// of it free. Within these limits, a destination may use at most a fraction of the memory that
/// stays free (the dynamic threshold method of Choudhury and Hahne, 1998): a quarter for its fresh
/// deliveries, an eighth for its waiting deliveries, and a sixteenth for its resends. Each of these
/// classes is counted separately, so one class cannot use up another's share. If only the fresh
/// deliveries of one destination are in memory, they may use a fifth of the memory.
///
/// The first payload in a share is exempt from the share's limit, and the first payload in a
/// workspace is exempt from the workspace's limit. A payload that is exempt from both needs only
/// enough free memory. Thread-safe; no method blocks for long.
public final class PayloadMemory {

    private static final int UNIT_BYTES = 16 << 10;

    /// The payload memory that one workspace uses. Guarded by the monitor of its [PayloadMemory].
    public static final class WorkspaceMemory {
        private final Portion units = new Portion();
        private long bytes;
    }

    /// The classes of a destination's deliveries; each class has its own share of the memory.
    public enum TrafficClass {
        FRESH(4),
        WAITING(8),
        RESEND(16);

        /// A share may use at most the number of bytes that remain free in total, divided by this
        /// number.
        private final int divisor;

        TrafficClass(int divisor) {
            this.divisor = divisor;
        }
    }

    /// The payload memory that one class of a destination's deliveries uses. Written under the
    /// monitor of its [PayloadMemory].
    public static final class MemoryShare {
        private final WorkspaceMemory workspace;
        private final TrafficClass trafficClass;
        private volatile long bytes;

        public MemoryShare(WorkspaceMemory workspace, TrafficClass trafficClass) {
            this.workspace = workspace;
            this.trafficClass = trafficClass;
        }

        public boolean isEmpty() {
            return bytes == 0;
        }
    }

    private final long capacityBytes;
    private final int unitBytes;
    private final FairShare workspaces;
    private volatile long bytes;

    public PayloadMemory(long capacityBytes) {
        this(capacityBytes, UNIT_BYTES);
    }

    PayloadMemory(long capacityBytes, int unitBytes) {
        this.capacityBytes = capacityBytes;
        this.unitBytes = unitBytes;
        this.workspaces = new FairShare((int) (capacityBytes / unitBytes));
    }

    /// Returns the number of bytes that are reserved.
    public long reservedBytes() {
        return bytes;
    }

    /// Returns the number of bytes that are reserved for a workspace.
    public synchronized long reservedBytes(WorkspaceMemory workspace) {
        return workspace.bytes;
    }

    /// Reserves `size` bytes; returns false if there is no room, or if the limit of the workspace
    /// or the share would be exceeded.
    public synchronized boolean tryReserve(MemoryShare share, int size) {
        long left = capacityBytes - bytes - size;
        boolean isRoom =
                left >= 0
                        && isWithinShare(share, size, left)
                        && isWithinWorkspace(share.workspace, size);
        if (isRoom) {
            add(share, size);
        }
        return isRoom;
    }

    private static boolean isWithinShare(MemoryShare share, int size, long left) {
        return share.bytes == 0 || share.trafficClass.divisor * (share.bytes + size) <= left;
    }

    private boolean isWithinWorkspace(WorkspaceMemory workspace, int size) {
        int wanted = units(workspace.bytes + size);
        int held = workspace.units.held();
        return wanted == held
                || (workspace.bytes == 0
                        ? wanted <= workspaces.free()
                        : workspaces.mayHold(workspace.units, wanted));
    }

    private int units(long bytes) {
        return (int) Math.ceilDiv(bytes, unitBytes);
    }

    public synchronized void release(MemoryShare share, int size) {
        add(share, -size);
    }

    private synchronized void add(MemoryShare share, int size) {
        bytes += size;
        share.bytes += size;
        var workspace = share.workspace;
        workspace.bytes += size;
        int wanted = units(workspace.bytes);
        while (workspace.units.held() < wanted) {
            workspaces.take(workspace.units);
        }
        while (workspace.units.held() > wanted) {
            workspaces.giveBack(workspace.units);
        }
    }
}
