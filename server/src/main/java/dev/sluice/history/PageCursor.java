package dev.sluice.history;

import dev.sluice.platform.secret.Sha256;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Base64;
import java.util.UUID;

/// The place in a list at which the next page begins. The API returns it as `next_cursor` and
/// accepts it as `cursor`.
///
/// A cursor contains an item's id instead of a page number, so that new items do not shift the
/// pages. The text of a cursor contains a checksum that also covers the list and its filter. A
/// cursor from a different list or filter is therefore refused.
///
/// @param before the next page begins with the newest item whose id is less than this one
/// @param seen the number of items on the earlier pages
public record PageCursor(UUID before, long seen) {

    private static final int ID_AND_COUNT_BYTES = 2 * Long.BYTES + Long.BYTES;
    private static final int CHECKSUM_BYTES = 8;

    /// The maximum value of `seen`. No list has that many items.
    private static final long MAX_SEEN = 1_000_000_000_000L;

    /// A cursor as a client sent it.
    ///
    /// @param text the cursor's text; [#isOf] checks whether its checksum matches a list
    record SentCursor(PageCursor cursor, String text) {

        /// @param list the list and its filter
        boolean isOf(String list) {
            return text.equals(cursor.text(list));
        }
    }

    /// @param list the list and its filter
    public String text(String list) {
        byte[] bytes =
                ByteBuffer.allocate(ID_AND_COUNT_BYTES + CHECKSUM_BYTES)
                        .putLong(before.getMostSignificantBits())
                        .putLong(before.getLeastSignificantBits())
                        .putLong(seen)
                        .put(checksum(list))
                        .array();
        return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    }

    /// @throws IllegalArgumentException if the text cannot be a cursor
    static SentCursor parse(String text) {
        byte[] bytes = Base64.getUrlDecoder().decode(text);
        if (bytes.length != ID_AND_COUNT_BYTES + CHECKSUM_BYTES) {
            throw new IllegalArgumentException("not the length of a cursor");
        }
        var buffer = ByteBuffer.wrap(bytes);
        var before = new UUID(buffer.getLong(), buffer.getLong());
        long seen = buffer.getLong();
        if (seen < 0 || seen > MAX_SEEN) {
            throw new IllegalArgumentException("not the number of items of a list");
        }
        return new SentCursor(new PageCursor(before, seen), text);
    }

    private byte[] checksum(String list) {
        return Arrays.copyOf(Sha256.hash(before + " " + seen + " " + list), CHECKSUM_BYTES);
    }
}
