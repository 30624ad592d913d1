package dev.sluice.relay.ingest;

import dev.sluice.platform.loop.Loop;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.function.DoubleSupplier;

/// Whether the disk has room for more events. Below 8 % free, ingest refuses and deliveries go on,
/// so that PostgreSQL never runs into a full disk.
public final class FreeSpace implements Loop.Step {

    private static final Logger log = LoggerFactory.getLogger(FreeSpace.class);
    private static final double LEAST = 0.08;

    private final DoubleSupplier freeShare;

    /// Written by the thread of the rounds.
    private volatile boolean isTight;

    /// @param freeShare of the disk that holds the data, from 0 to 1
    public FreeSpace(DoubleSupplier freeShare) {
        this.freeShare = freeShare;
    }

    public boolean isTight() {
        return isTight;
    }

    @Override
    public boolean run() {
        double free = freeShare.getAsDouble();
        boolean tight = free < LEAST;
        if (tight != isTight) {
            isTight = tight;
            var line =
                    (tight ? log.atError() : log.atInfo())
                            .addKeyValue("free_percent", Math.round(free * 100));
            line.log(tight ? "disk.tight" : "disk.has_room_again");
        }
        return false;
    }
}
