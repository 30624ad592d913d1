package dev.sluice.bench.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.bench.ledger.Entry.Acked;
import dev.sluice.bench.ledger.Entry.Received;
import dev.sluice.bench.ledger.Entry.Refused;
import dev.sluice.bench.ledger.Entry.Sent;
import dev.sluice.bench.ledger.Entry.Unanswered;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.util.List;

class ComparisonTest {

    private static final List<Entry> ONE_ACKED =
            List.of(new Sent("m1", "h1"), new Acked("m1", "e1", 5));

    @Test
    void what_was_acknowledged_and_arrived_is_clean() {
        var found = Comparison.of(ONE_ACKED, List.of(new Received("m1", "e1", "h1", 9, 200)));

        assertThat(found.isClean()).isTrue();
        assertThat(found.received()).isEqualTo(1);
    }

    @Test
    void acknowledged_and_never_received_is_lost() {
        var found = Comparison.of(ONE_ACKED, List.of());

        assertThat(found.lost()).isEqualTo(1);
        assertThat(found.isClean()).isFalse();
    }

    @Test
    void another_body_is_altered() {
        var found = Comparison.of(ONE_ACKED, List.of(new Received("m1", "e1", "h2", 9, 200)));

        assertThat(found.altered()).isEqualTo(1);
        assertThat(found.isClean()).isFalse();
    }

    @Test
    void another_id_than_the_answer_gave_is_misnamed() {
        var found = Comparison.of(ONE_ACKED, List.of(new Received("m1", "e2", "h1", 9, 200)));

        assertThat(found.misnamed()).isEqualTo(1);
        assertThat(found.isClean()).isFalse();
    }

    @Test
    void received_and_never_sent_is_unexpected() {
        var receipt = new Received("m2", "e2", "h2", 9, 200);

        var found = Comparison.of(List.of(), List.of(receipt));

        assertThat(found.unexpected()).isEqualTo(1);
        assertThat(found.isClean()).isFalse();
    }

    @Test
    void received_twice_is_only_duplicated() {
        var receipt = new Received("m1", "e1", "h1", 9, 200);

        var found = Comparison.of(ONE_ACKED, List.of(receipt, receipt, receipt));

        assertThat(found.duplicated()).isEqualTo(2);
        assertThat(found.received()).isEqualTo(1);
        assertThat(found.isClean()).isTrue();
    }

    @Test
    void without_an_acknowledgement_arriving_and_not_arriving_are_both_fine() {
        List<Entry> sender =
                List.of(
                        new Sent("m1", "h1"),
                        new Unanswered("m1"),
                        new Sent("m2", "h2"),
                        new Refused("m2", 500));

        var found = Comparison.of(sender, List.of(new Received("m1", "e1", "h1", 9, 200)));

        assertThat(found.isClean()).isTrue();
        assertThat(found.unacknowledged()).isEqualTo(1);
        assertThat(found.refused()).isEqualTo(1);
        assertThat(found.unanswered()).isEqualTo(1);
    }

    @Test
    void the_gap_counts_from_the_answer_to_the_first_receipt_and_leaves_out_the_warm_up() {
        List<Entry> sender = List.of(new Acked("m1", "e1", 100), new Acked("m2", "e2", 200));
        List<Entry> receiver =
                List.of(
                        new Received("m1", "e1", "h1", 150, 200),
                        new Received("m2", "e2", "h2", 207, 200),
                        new Received("m2", "e2", "h2", 900, 200));

        var gaps = Comparison.answerToFirstByte(sender, receiver, 1);

        assertThat(gaps.count()).isEqualTo(1);
        assertThat(gaps.percentile(1)).isEqualTo(7);
    }

    @ParameterizedTest
    @MethodSource("entries")
    void a_line_reads_back_as_what_was_written(Entry entry) {
        assertThat(Entry.parse(entry.line())).isEqualTo(entry);
    }

    static List<Entry> entries() {
        return List.of(
                new Sent("m1", "h1"),
                new Acked("m1", "e1", -7),
                new Refused("m1", 503),
                new Unanswered("m1"),
                new Received("m1", "e1", "h1", 12, 200));
    }
}
