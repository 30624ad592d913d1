package dev.sluice.bench.fault;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.bench.ledger.Entry;
import dev.sluice.bench.ledger.Entry.Acked;
import dev.sluice.bench.ledger.Entry.Received;
import dev.sluice.bench.ledger.Entry.Sent;

import org.junit.jupiter.api.Test;

import java.util.List;

class BooksTest {

    /// Sources 0 and 1 have one connection and two.
    private static final List<Entry> SENT =
            List.of(
                    new Sent("0000a", "h"),
                    new Acked("0000a", "e0", 1),
                    new Sent("0001b", "h"),
                    new Acked("0001b", "e1", 1));

    @Test
    void a_sink_must_have_what_its_connections_concern() {
        var books =
                books(
                        List.of(receipt("0000a", "e0", 200), receipt("0001b", "e1", 200)),
                        List.of(receipt("0001b", "e1", 200)));
        assertThat(books.compare(0).lost()).isZero();
        assertThat(books.compare(1).lost()).isZero();
        assertThat(books.compare(1).acked()).isEqualTo(1);
    }

    @Test
    void what_only_failed_is_lost() {
        var books = books(List.of(receipt("0000a", "e0", 503)), List.of());
        assertThat(books.compare(0).lost()).isEqualTo(2);
        assertThat(books.compare(1).lost()).isEqualTo(1);
    }

    @Test
    void only_what_was_taken_before_counts_as_repeated() {
        var before =
                books(List.of(receipt("0000a", "e0", 200), receipt("0001b", "e1", 503)), List.of());
        var after =
                books(
                        List.of(
                                receipt("0000a", "e0", 200),
                                receipt("0001b", "e1", 503),
                                receipt("0001b", "e1", 200),
                                receipt("0000a", "e0", 200)),
                        List.of());
        assertThat(after.repeatedSince(before)).isEqualTo(1);
    }

    private static Books books(List<Entry> first, List<Entry> second) {
        return new Books(SENT, List.of(first, second, List.of()));
    }

    private static Received receipt(String marker, String id, int status) {
        return new Received(marker, id, "h", 2, status);
    }
}
