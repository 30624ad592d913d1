package dev.sluice.engine.accept;

import dev.sluice.platform.loop.Loop;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.function.DoubleSupplier;

/// Checks whether the disk has room for more events.
///
/// When less than 20 % of the disk is free, events that fail verification are only counted, so that
/// whoever knows an ingest URL cannot fill the rest of the disk with them. When less than 8 % is
/// free, ingest refuses all events, so that PostgreSQL does not fill the disk. Deliveries continue.
/// Each round measures the free space once.
public final class DiskSpaceMonitor implements Loop.Step {

    private static final Logger log = LoggerFactory.getLogger(DiskSpaceMonitor.class);
    private static final double MIN_FREE_SHARE = 0.08;
    private static final double LOW_FREE_SHARE = 0.2;

    private final DoubleSupplier freeShare;

    // Both are written only by the thread that runs the rounds.
    private volatile boolean isLow;
    private volatile boolean isNearlyFull;

    /// @param freeShare returns the fraction of the data disk that is free, from 0 to 1
    public DiskSpaceMonitor(DoubleSupplier freeShare) {
        this.freeShare = freeShare;
    }

    /// Whether so little is free that events that fail verification are not stored.
    boolean isLow() {
        return isLow;
    }

    public boolean isNearlyFull() {
        return isNearlyFull;
    }

    @Override
    public boolean run() {
        double free = freeShare.getAsDouble();
        long freePercent = Math.round(free * 100);
        boolean low = free < LOW_FREE_SHARE;
        if (low && !isLow) {
            log.atWarn().addKeyValue("free_percent", freePercent).log("disk_space.lowered");
        }
        isLow = low;
        boolean tight = free < MIN_FREE_SHARE;
        if (tight != isNearlyFull) {
            isNearlyFull = tight;
            if (tight) {
                log.atError().addKeyValue("free_percent", freePercent).log("disk_space.exhausted");
            } else {
                log.atInfo().addKeyValue("free_percent", freePercent).log("disk_space.recovered");
            }
        }
        return false;
    }
}
