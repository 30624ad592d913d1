package dev.sluice.features.recovery;

import dev.sluice.gateway.source.SourceId;
import dev.sluice.platform.id.IdRange;
import dev.sluice.platform.id.Uuid7;
import dev.sluice.platform.secret.Sha256;

import java.nio.ByteBuffer;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.Base64;
import java.util.Optional;
import java.util.UUID;

/// The position from which a later request continues an incomplete dismissal or undismissal. The
/// API returns it as `next_cursor` and accepts it as `cursor`.
///
/// The text of a cursor includes a checksum of the request, so that the cursor is refused if the
/// criteria have changed.
///
/// @param source the first source that is not finished; sources are handled in the order of their
///   ids
/// @param from the lowest delivery id in that source that still has to be checked
/// @param asOf when the first request began, in whole microseconds; dead letters that ended later
///   are not dismissed
record DismissalCursor(SourceId source, UUID from, Instant asOf) {

    private static final int CHECKSUM_BYTES = 8;
    private static final int TEXT_BYTES = 5 * Long.BYTES + CHECKSUM_BYTES;

    /// @param request the request without its cursor
    /// @throws IllegalArgumentException if the text is not a cursor for this request
    static DismissalCursor parse(String text, String request) {
        return decode(text)
                .filter(cursor ->
                        !cursor.asOf().isBefore(Instant.EPOCH)) // earlier times may overflow
                .filter(cursor -> cursor.text(request).equals(text))
                .orElseThrow(() ->
                        new IllegalArgumentException(
                                "must be a next_cursor of this operation, sent with the fields of"
                                        + " the request that returned it."));
    }

    private static Optional<DismissalCursor> decode(String text) {
        try {
            var bytes = ByteBuffer.wrap(Base64.getUrlDecoder().decode(text));
            return bytes.remaining() == TEXT_BYTES
                    ? Optional.of(
                            new DismissalCursor(new SourceId(id(bytes)), id(bytes), time(bytes)))
                    : Optional.empty();
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    private static UUID id(ByteBuffer bytes) {
        return new UUID(bytes.getLong(), bytes.getLong());
    }

    private static Instant time(ByteBuffer bytes) {
        return Instant.EPOCH.plus(bytes.getLong(), ChronoUnit.MICROS);
    }

    /// @param request the request without its cursor
    String text(String request) {
        byte[] bytes =
                ByteBuffer.allocate(TEXT_BYTES)
                        .putLong(source.value().getMostSignificantBits())
                        .putLong(source.value().getLeastSignificantBits())
                        .putLong(from.getMostSignificantBits())
                        .putLong(from.getLeastSignificantBits())
                        .putLong(ChronoUnit.MICROS.between(Instant.EPOCH, asOf))
                        .put(Arrays.copyOf(Sha256.hash(this + request), CHECKSUM_BYTES))
                        .array();
        return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    }

    /// Returns the part of `ids` that still has to be checked for the given source.
    IdRange left(SourceId other, IdRange ids) {
        int order = Uuid7.UNSIGNED_ORDER.compare(other.value(), source.value());
        if (order == 0) {
            return ids.intersect(new IdRange(from, ids.high()));
        }
        return order < 0 ? IdRange.NONE : ids;
    }
}
