package dev.sluice.platform.db;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TxSnapshotTest {

    @Test
    void it_sees_what_was_over() {
        var snapshot = TxSnapshot.parse("10:20:10,14");

        assertThat(snapshot.sees(9)).isTrue();
        assertThat(snapshot.sees(10)).isFalse();
        assertThat(snapshot.sees(11)).isTrue();
        assertThat(snapshot.sees(14)).isFalse();
        assertThat(snapshot.sees(19)).isTrue();
        assertThat(snapshot.sees(20)).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"10:10:", "10:20:10,14", "3:4:3"})
    void it_is_written_as_it_was_read(String text) {
        assertThat(TxSnapshot.parse(text)).hasToString(text).isEqualTo(TxSnapshot.parse(text));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "1",
                "1:2",
                "0:2:",
                "2:1:",
                "2:4:5",
                "2:4:1",
                "2:4:3,",
                "a:b:",
                "-1:2:",
                "1:9999999999999999999:"
            })
    void what_is_no_snapshot_is_refused(String text) {
        assertThatThrownBy(() -> TxSnapshot.parse(text))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void a_row_shows_the_low_half_of_a_transactions_number() {
        long next = (5L << 32) + 10;
        var snapshot = TxSnapshot.before(next);

        assertThat(snapshot.fullXid(7)).isEqualTo(next - 3);
        assertThat(snapshot.fullXid(12)).isEqualTo(next + 2);
        assertThat(snapshot.fullXid(0xffff_fffeL)).isEqualTo(next - 12);
    }

    /// For each transaction: up to the given one as the later snapshot says, after it as the
    /// earlier one says.
    @ParameterizedTest
    @ValueSource(longs = {10, 11, 13, 16, 20, 24})
    void a_part_of_a_later_snapshot_can_be_taken_over(long upTo) {
        var before = TxSnapshot.parse("10:16:10,11,13");
        var later = TxSnapshot.parse("11:25:11,18");

        var between = before.advanced(later, upTo);

        for (long xid = 5; xid < 30; xid++) {
            assertThat(between.sees(xid))
                    .as("transaction %d", xid)
                    .isEqualTo(xid <= upTo ? later.sees(xid) : before.sees(xid));
        }
        assertThat(TxSnapshot.parse(between.toString())).isEqualTo(between);
    }
}
