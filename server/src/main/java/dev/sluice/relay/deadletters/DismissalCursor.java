package dev.sluice.relay.deadletters;

import dev.sluice.gateway.source.SourceId;
import dev.sluice.platform.id.IdRange;
import dev.sluice.platform.id.Uuid7;
import dev.sluice.platform.secret.Sha256;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Base64;
import java.util.Optional;
import java.util.UUID;

/// The place at which a dismissal goes on that one request did not complete. The API returns it as
/// `next_cursor` and accepts it as `cursor`.
///
/// Its text has a checksum over the request, so that it is refused with another filter.
///
/// @param source the first source that is not done; sources are handled in the order of their ids
/// @param from the first delivery of that source that is left to check
record DismissalCursor(SourceId source, UUID from) {

    private static final int ID_BYTES = 2 * Long.BYTES;
    private static final int CHECKSUM_BYTES = 8;

    /// @param request the request without its cursor
    /// @throws IllegalArgumentException if the text is not a cursor of this request
    static DismissalCursor parse(String text, String request) {
        return decode(text)
                .filter(cursor -> cursor.text(request).equals(text))
                .orElseThrow(() ->
                        new IllegalArgumentException(
                                "must be a next_cursor of this operation, sent with the fields of"
                                        + " the request that returned it."));
    }

    private static Optional<DismissalCursor> decode(String text) {
        try {
            var bytes = ByteBuffer.wrap(Base64.getUrlDecoder().decode(text));
            return bytes.remaining() == 2 * ID_BYTES + CHECKSUM_BYTES
                    ? Optional.of(new DismissalCursor(new SourceId(id(bytes)), id(bytes)))
                    : Optional.empty();
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    private static UUID id(ByteBuffer bytes) {
        return new UUID(bytes.getLong(), bytes.getLong());
    }

    /// @param request the request without its cursor
    String text(String request) {
        byte[] bytes =
                ByteBuffer.allocate(2 * ID_BYTES + CHECKSUM_BYTES)
                        .putLong(source.value().getMostSignificantBits())
                        .putLong(source.value().getLeastSignificantBits())
                        .putLong(from.getMostSignificantBits())
                        .putLong(from.getLeastSignificantBits())
                        .put(Arrays.copyOf(Sha256.hash(this + request), CHECKSUM_BYTES))
                        .array();
        return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    }

    /// Returns the part of `ids` that is left to check of a source.
    IdRange left(SourceId other, IdRange ids) {
        int order = Uuid7.UNSIGNED_ORDER.compare(other.value(), source.value());
        if (order == 0) {
            return ids.intersect(new IdRange(from, ids.high()));
        }
        return order < 0 ? IdRange.NONE : ids;
    }
}
