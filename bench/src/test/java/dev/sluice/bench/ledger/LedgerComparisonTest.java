package dev.sluice.bench.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.bench.ledger.MessageEntry.AckedEntry;
import dev.sluice.bench.ledger.MessageEntry.ReceivedEntry;
import dev.sluice.bench.ledger.MessageEntry.RefusedEntry;
import dev.sluice.bench.ledger.MessageEntry.SentEntry;
import dev.sluice.bench.ledger.MessageEntry.UnansweredEntry;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.util.List;

class LedgerComparisonTest {

    private static final List<MessageEntry> ONE_ACKED =
            List.of(new SentEntry("m1", "h1"), new AckedEntry("m1", "e1", 5));

    @Test
    void what_was_acknowledged_and_arrived_is_clean() {
        var found =
                LedgerComparison.of(
                        ONE_ACKED, List.of(new ReceivedEntry("m1", "e1", "h1", 9, 200)));

        assertThat(found.isClean()).isTrue();
        assertThat(found.received()).isEqualTo(1);
    }

    @Test
    void acknowledged_and_never_received_is_lost() {
        var found = LedgerComparison.of(ONE_ACKED, List.of());

        assertThat(found.lost()).isEqualTo(1);
        assertThat(found.isClean()).isFalse();
    }

    @Test
    void another_body_is_altered() {
        var found =
                LedgerComparison.of(
                        ONE_ACKED, List.of(new ReceivedEntry("m1", "e1", "h2", 9, 200)));

        assertThat(found.altered()).isEqualTo(1);
        assertThat(found.isClean()).isFalse();
    }

    @Test
    void another_id_than_the_answer_gave_is_misnamed() {
        var found =
                LedgerComparison.of(
                        ONE_ACKED, List.of(new ReceivedEntry("m1", "e2", "h1", 9, 200)));

        assertThat(found.misnamed()).isEqualTo(1);
        assertThat(found.isClean()).isFalse();
    }

    @Test
    void received_and_never_sent_is_unexpected() {
        var receipt = new ReceivedEntry("m2", "e2", "h2", 9, 200);

        var found = LedgerComparison.of(List.of(), List.of(receipt));

        assertThat(found.unexpected()).isEqualTo(1);
        assertThat(found.isClean()).isFalse();
    }

    @Test
    void received_twice_is_only_duplicated() {
        var receipt = new ReceivedEntry("m1", "e1", "h1", 9, 200);

        var found = LedgerComparison.of(ONE_ACKED, List.of(receipt, receipt, receipt));

        assertThat(found.duplicated()).isEqualTo(2);
        assertThat(found.received()).isEqualTo(1);
        assertThat(found.isClean()).isTrue();
    }

    @Test
    void without_an_acknowledgement_arriving_and_not_arriving_are_both_fine() {
        List<MessageEntry> sender =
                List.of(
                        new SentEntry("m1", "h1"),
                        new UnansweredEntry("m1"),
                        new SentEntry("m2", "h2"),
                        new RefusedEntry("m2", 500));

        var found =
                LedgerComparison.of(sender, List.of(new ReceivedEntry("m1", "e1", "h1", 9, 200)));

        assertThat(found.isClean()).isTrue();
        assertThat(found.unacknowledged()).isEqualTo(1);
        assertThat(found.sender().refused()).isEqualTo(1);
        assertThat(found.sender().unanswered()).isEqualTo(1);
    }

    @Test
    void the_gap_counts_from_the_answer_to_the_first_receipt_and_leaves_out_the_warm_up() {
        List<MessageEntry> sender =
                List.of(new AckedEntry("m1", "e1", 100), new AckedEntry("m2", "e2", 200));
        List<MessageEntry> receiver =
                List.of(
                        new ReceivedEntry("m1", "e1", "h1", 150, 200),
                        new ReceivedEntry("m2", "e2", "h2", 207, 200),
                        new ReceivedEntry("m2", "e2", "h2", 900, 200));

        var gaps = LedgerComparison.firstByteLatencies(sender, receiver, 1);

        assertThat(gaps.count()).isEqualTo(1);
        assertThat(gaps.percentile(1)).isEqualTo(7);
    }

    @ParameterizedTest
    @MethodSource("entries")
    void a_line_reads_back_as_what_was_written(MessageEntry entry) {
        assertThat(MessageEntry.parse(entry.toLine())).isEqualTo(entry);
    }

    static List<MessageEntry> entries() {
        return List.of(
                new SentEntry("m1", "h1"),
                new AckedEntry("m1", "e1", -7),
                new RefusedEntry("m1", 503),
                new UnansweredEntry("m1"),
                new ReceivedEntry("m1", "e1", "h1", 12, 200));
    }
}
