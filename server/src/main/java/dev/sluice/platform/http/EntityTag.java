package dev.sluice.platform.http;

import java.time.Instant;
import java.time.temporal.ChronoUnit;

/// A strong entity tag, which identifies one state of a resource (RFC 9110, section 8.8.3).
///
/// @param text the tag with its quotes
public record EntityTag(String text) {

    private static final int RADIX = 36;

    /// Returns the tag for a resource that was last changed at this time.
    public static EntityTag of(Instant updatedAt) {
        long micros = ChronoUnit.MICROS.between(Instant.EPOCH, updatedAt);
        return new EntityTag('"' + Long.toString(micros, RADIX) + '"');
    }
}
