package dev.sluice.relay.dispatch;

import java.util.concurrent.atomic.AtomicLong;

/// The memory for payloads of deliveries, and who may have how much of it, in bytes.
///
/// Shares follow what is left free (dynamic thresholds, Choudhury and Hahne 1998): a workspace may
/// have as much as it leaves; a destination's fresh deliveries a quarter of that, those that waited
/// an eighth, its resends a sixteenth, each apart, so that none of them keeps another out. So a
/// workspace alone gets half of the memory and the fresh ones of a destination a fifth, and however
/// many want all there is, something is left for who comes next. Who has nothing yet only needs it
/// to fit.
final class Memory {

    /// What is kept of it for a workspace.
    static final class Tenant {
        private final AtomicLong bytes = new AtomicLong();
    }

    /// Deliveries of a destination that are counted together.
    enum Kind {
        FRESH(4),
        WAITED(8),
        RESENT(16);

        /// Which part of what is left free they may have.
        private final int part;

        Kind(int part) {
            this.part = part;
        }
    }

    /// What is kept of it for one kind of a destination's deliveries.
    static final class Share {
        private final AtomicLong bytes = new AtomicLong();
        private final Tenant tenant;
        private final Kind kind;

        boolean isEmpty() {
            return bytes.get() == 0;
        }

        Share(Tenant tenant, Kind kind) {
            this.tenant = tenant;
            this.kind = kind;
        }
    }

    private final long most;
    private final AtomicLong bytes = new AtomicLong();

    Memory(long most) {
        this.most = most;
    }

    /// How much of it is taken.
    long taken() {
        return bytes.get();
    }

    /// False when there is no room for it now, or not for these.
    boolean take(Share share, int size) {
        long left = most - bytes.addAndGet(size);
        long shared = share.bytes.addAndGet(size);
        long workspace = share.tenant.bytes.addAndGet(size);
        boolean isRoom =
                left >= 0
                        && (shared == size || share.kind.part * shared <= left)
                        && (workspace == size || workspace <= left);
        if (!isRoom) {
            give(share, size);
        }
        return isRoom;
    }

    void give(Share share, int size) {
        bytes.addAndGet(-size);
        share.bytes.addAndGet(-size);
        share.tenant.bytes.addAndGet(-size);
    }
}
