package dev.sluice.bench.scenario;

import dev.sluice.bench.ledger.Entry;
import dev.sluice.bench.ledger.Ledger;
import dev.sluice.bench.report.Report;
import dev.sluice.bench.report.Table;

import java.nio.file.Path;
import java.util.List;

/// What the senders were told around each kill: from the kill until the pause after the recovery is
/// over.
final class Kills {

    /// A restart of PostgreSQL is latency, not an error.
    private static final double MOST_REFUSED_PERCENT = 1;

    private final Path sent;
    private final Table table =
            new Table(
                    "Kills",
                    "killed",
                    "accepts again after s",
                    "relay ended itself",
                    "sent",
                    "refused",
                    "unanswered");

    private Crash.Victim victim = Crash.Victim.RELAY;
    private long start;
    private double seconds;
    private boolean endedItself;
    private Told before = new Told(0, 0, 0);
    private Told aroundPostgres = new Told(0, 0, 0);

    private record Told(long sent, long refused, long unanswered) {

        static Told of(List<Entry> ledger) {
            return new Told(
                    count(ledger, Entry.Sent.class),
                    count(ledger, Entry.Refused.class),
                    count(ledger, Entry.Unanswered.class));
        }

        private static long count(List<Entry> ledger, Class<? extends Entry> kind) {
            return ledger.stream().filter(kind::isInstance).count();
        }

        Told since(Told earlier) {
            return new Told(
                    sent - earlier.sent,
                    refused - earlier.refused,
                    unanswered - earlier.unanswered);
        }

        Told and(Told other) {
            return new Told(
                    sent + other.sent, refused + other.refused, unanswered + other.unanswered);
        }

        double refusedPercent() {
            return sent == 0 ? 0 : 100.0 * refused / sent;
        }
    }

    /// @param sent the senders' ledger
    Kills(Path sent) {
        this.sent = sent;
    }

    void begin(Crash.Victim next) {
        victim = next;
        before = Told.of(Ledger.read(sent));
        start = System.nanoTime();
    }

    void recovered(boolean relayEndedItself) {
        endedItself = relayEndedItself;
        seconds = (System.nanoTime() - start) / 1e9;
    }

    void end() {
        var told = Told.of(Ledger.read(sent)).since(before);
        if (victim == Crash.Victim.POSTGRES) {
            aroundPostgres = aroundPostgres.and(told);
        }
        table.row(
                victim.name(),
                seconds,
                endedItself ? "yes" : "no",
                told.sent(),
                told.refused(),
                told.unanswered());
    }

    void addTo(Report report) {
        double percent = aroundPostgres.refusedPercent();
        report.add(table)
                .remark(
                        "Around restarts of PostgreSQL alone %d of %d requests were refused: %.2f %%."
                                .formatted(
                                        aroundPostgres.refused(), aroundPostgres.sent(), percent))
                .failUnless(
                        percent < MOST_REFUSED_PERCENT,
                        "%.2f %% were refused while PostgreSQL restarted".formatted(percent));
    }
}
