package dev.sluice.engine.accept;

import dev.sluice.engine.send.PayloadAdmission;
import dev.sluice.platform.http.InboundMemory;

/// The limits that are checked before an event is stored: the free disk space, the source's
/// requests per minute, the memory for bodies, the source's events per hour that fail verification,
/// the workspace's events per month, and the memory for deliveries.
public record IngestLimits(
        DiskSpaceMonitor diskSpace,
        IngestRateLimiter ingestRateLimiter,
        InboundMemory bodyMemory,
        UnverifiedEventLimiter unverifiedEvents,
        MonthlyQuota quota,
        PayloadAdmission admission) {

    private static final long MAX_BODY_MEMORY_BYTES = 128L << 20;

    /// Returns limits with 128 MiB of memory for bodies, or an eighth of the heap if that is less.
    public static IngestLimits of(
            DiskSpaceMonitor diskSpace,
            IngestRateLimiter ingestRateLimiter,
            UnverifiedEventLimiter unverifiedEvents,
            MonthlyQuota quota,
            PayloadAdmission admission) {
        return new IngestLimits(
                diskSpace,
                ingestRateLimiter,
                InboundMemory.forBodies(MAX_BODY_MEMORY_BYTES, 8),
                unverifiedEvents,
                quota,
                admission);
    }
}
