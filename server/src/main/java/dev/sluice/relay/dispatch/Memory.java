package dev.sluice.relay.dispatch;

import java.util.concurrent.atomic.AtomicLong;

/// The memory for payloads of deliveries, and who may have how much of it, in bytes.
///
/// Shares follow what is left free (dynamic thresholds, Choudhury and Hahne 1998): a workspace may
/// have as much as it leaves, a destination a quarter of that, of which resends take a quarter
/// again at most. So a workspace alone gets half of the memory and a destination a fifth, and
/// however many want all there is, something is left for who comes next. Who has nothing yet only
/// needs it to fit.
final class Memory {

    /// What is kept of it for a workspace.
    static final class Tenant {
        private final AtomicLong bytes = new AtomicLong();
    }

    /// What is kept of it for a destination.
    static final class Share {
        private final AtomicLong bytes = new AtomicLong();
        private final Tenant tenant;

        Share(Tenant tenant) {
            this.tenant = tenant;
        }
    }

    /// Parts of what is left free.
    private static final int DESTINATION = 4;

    private static final int RESENDS = 16;

    private final long most;
    private final AtomicLong bytes = new AtomicLong();

    Memory(long most) {
        this.most = most;
    }

    /// How much of it is taken.
    long taken() {
        return bytes.get();
    }

    /// False when there is no room for it now, or not for this destination.
    boolean take(Share share, int size) {
        return take(share, size, DESTINATION);
    }

    /// The same for a resend, for which a destination may have less.
    boolean takeForResend(Share share, int size) {
        return take(share, size, RESENDS);
    }

    private boolean take(Share share, int size, int part) {
        long left = most - bytes.addAndGet(size);
        long destination = share.bytes.addAndGet(size);
        long workspace = share.tenant.bytes.addAndGet(size);
        boolean isRoom =
                left >= 0
                        && (destination == size || part * destination <= left)
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
