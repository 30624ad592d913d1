package dev.sluice.faults;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.bench.ledger.MessageEntry;
import dev.sluice.bench.ledger.MessageEntry.AckedEntry;
import dev.sluice.bench.ledger.MessageEntry.ReceivedEntry;
import dev.sluice.bench.ledger.MessageEntry.SentEntry;

import org.junit.jupiter.api.Test;

import java.util.List;

class TestbedLedgersTest {

    /// Sources 0 and 1 have one connection and two.
    private static final List<MessageEntry> SENT =
            List.of(
                    new SentEntry("0000a", "h"),
                    new AckedEntry("0000a", "e0", 1),
                    new SentEntry("0001b", "h"),
                    new AckedEntry("0001b", "e1", 1));

    @Test
    void a_sink_must_have_what_its_connections_concern() {
        var ledgers =
                books(
                        List.of(receipt("0000a", "e0", 200), receipt("0001b", "e1", 200)),
                        List.of(receipt("0001b", "e1", 200)));
        assertThat(ledgers.compare(0).lost()).isZero();
        assertThat(ledgers.compare(1).lost()).isZero();
        assertThat(ledgers.compare(1).sender().acked()).isEqualTo(1);
    }

    @Test
    void what_only_failed_is_lost() {
        var ledgers = books(List.of(receipt("0000a", "e0", 503)), List.of());
        assertThat(ledgers.compare(0).lost()).isEqualTo(2);
        assertThat(ledgers.compare(1).lost()).isEqualTo(1);
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
        assertThat(after.countRepeatedSince(before)).isEqualTo(1);
    }

    private static TestbedLedgers books(List<MessageEntry> first, List<MessageEntry> second) {
        return new TestbedLedgers(SENT, List.of(first, second, List.of()));
    }

    private static ReceivedEntry receipt(String marker, String id, int status) {
        return new ReceivedEntry(marker, id, "h", 2, status);
    }
}
