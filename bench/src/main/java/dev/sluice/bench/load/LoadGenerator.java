package dev.sluice.bench.load;

import dev.sluice.bench.ledger.Entry;
import dev.sluice.bench.ledger.Ledger;
import dev.sluice.bench.load.Caller.State;
import dev.sluice.bench.platform.Inbox;
import dev.sluice.bench.platform.Json;
import dev.sluice.bench.platform.Options;
import dev.sluice.bench.platform.Parent;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.function.Consumer;

/// Sends one plan's requests, from one thread, and tallies the answers.
///
/// As a process it prints `measuring` and `measured` at the edges of the measured time, then its
/// result as a line of JSON.
public final class LoadGenerator {

    private static final long TIMEOUT = Duration.ofSeconds(30).toNanos();

    /// Below the 30 s after which the relay closes an idle connection.
    private static final long LONG_IDLE = Duration.ofSeconds(20).toNanos();

    private static final long REOPEN_PAUSE = Duration.ofMillis(50).toNanos();

    /// Time for the connections to stand before the first request is due.
    private static final long RUN_UP = Duration.ofMillis(200).toNanos();

    /// Below this rate the wait for the next request is ended by spinning: a selector wakes up to a
    /// millisecond late, which would be most of an idle relay's latency.
    private static final int RARE = 200;

    private final Plan plan;
    private final Consumer<String> phases;
    private final List<Payload> payloads = new ArrayList<>();
    private int nextPayload;
    private final Optional<Ledger> ledger;
    private final Tally tally = new Tally();
    private final List<Caller> callers = new ArrayList<>();
    private final ArrayDeque<Caller> idle = new ArrayDeque<>();
    private final ArrayDeque<Reopening> closed = new ArrayDeque<>();
    private final Selector selector;

    private final long start;
    private final long measureFrom;
    private long measureTo;
    private boolean measuring;
    private boolean sending = true;
    private long dueCount;
    private long nextExpiry;
    private volatile boolean stopped;

    private record Reopening(Caller caller, long at) {}

    private LoadGenerator(Plan plan, Consumer<String> phases, Selector selector) {
        this.plan = plan;
        this.phases = phases;
        this.selector = selector;
        for (int place = 0; place < plan.ingests().size(); place++) {
            payloads.add(Payload.to(plan, place, new SplittableRandom()));
        }
        this.ledger = plan.ledger().map(Ledger::append);
        this.start = System.nanoTime() + RUN_UP;
        this.measureFrom = start + plan.warmUp().toNanos();
        this.measureTo = measureFrom + plan.measured().toNanos();
    }

    public static void main(String[] arguments) throws IOException {
        var options = Options.parse(List.of(arguments));
        var plan = Plan.from(options);
        boolean untilClosed = options.flag("until-closed");
        options.finish();
        var generator = open(plan, System.out::println);
        if (untilClosed) {
            Parent.whenGone(generator::stop);
        }
        System.out.println(Json.line(generator.run()));
    }

    public static LoadGenerator open(Plan plan, Consumer<String> phases) throws IOException {
        URI first = plan.ingests().getFirst();
        if (!plan.ingests().stream()
                .allMatch(other -> other.getAuthority().equals(first.getAuthority()))) {
            throw new IllegalArgumentException("one generator loads one relay");
        }
        var address = new InetSocketAddress(first.getHost(), first.getPort());
        InetAddress host = address.getAddress();
        if (host == null || !host.isLoopbackAddress()) {
            throw new IllegalArgumentException("only loopback is ever put under load");
        }
        var generator = new LoadGenerator(plan, phases, Selector.open());
        int size = generator.payloads.stream().mapToInt(Payload::size).max().orElseThrow();
        for (int count = 0; count < plan.connections(); count++) {
            generator.callers.add(new Caller(generator.selector, address, size));
        }
        return generator;
    }

    /// Ends the measured time now. May be called from any thread.
    public void stop() {
        stopped = true;
        selector.wakeup();
    }

    /// Returns when the time is over and what was sent is answered or given up.
    public Result run() throws IOException {
        callers.forEach(this::open);
        long now = System.nanoTime();
        while (sending || (isAwaited() && now < measureTo + TIMEOUT)) {
            sendDue(now);
            turn(now);
            reopen(now);
            expire(now);
            select(now);
            now = System.nanoTime();
        }
        callers.forEach(Caller::close);
        selector.close();
        ledger.ifPresent(Ledger::close);
        return tally.result(Math.max(measureTo - measureFrom, 1) / 1e9, unsent());
    }

    /// Passes from warm-up to measuring, and from there to waiting for the last answers.
    private void turn(long now) {
        if (!measuring && now >= measureFrom) {
            measuring = true;
            phases.accept("measuring");
        }
        if (sending && (now >= measureTo || stopped)) {
            sending = false;
            measureTo = Math.min(measureTo, now);
            phases.accept("measured");
        }
    }

    private boolean isAwaited() {
        for (Caller caller : callers) {
            if (caller.state() == State.BUSY) {
                return true;
            }
        }
        return false;
    }

    private void open(Caller caller) {
        try {
            caller.open();
            if (caller.state() == State.IDLE) {
                free(caller);
            }
        } catch (IOException refused) {
            // The relay may be down for a while on purpose.
            lose(caller);
        }
    }

    private void reopen(long now) {
        while (sending && !closed.isEmpty() && closed.getFirst().at() <= now) {
            open(closed.removeFirst().caller());
        }
    }

    private void expire(long now) {
        if (now < nextExpiry) {
            return;
        }
        nextExpiry = now + Duration.ofSeconds(1).toNanos();
        for (Caller caller : callers) {
            if (caller.state() == State.BUSY && now - caller.sent() > TIMEOUT) {
                if (isMeasured(caller)) {
                    tally.timedOut();
                }
                note(new Entry.Unanswered(caller.marker()));
                part(caller);
            }
        }
    }

    private void sendDue(long now) {
        if (!(plan.pace() instanceof Pace.PerSecond(int rate))) {
            return;
        }
        while (sending && nextDue(rate) <= now && nextDue(rate) < measureTo) {
            long due = nextDue(rate);
            Caller caller = pollIdle(now);
            if (caller != null) {
                send(caller, due, now);
            } else if (closed.size() < callers.size()) {
                return;
            } else if (due >= measureFrom) {
                tally.unreachable();
            }
            dueCount++;
        }
    }

    /// A connection that was not used for long is replaced: the relay may be closing it just now.
    private @Nullable Caller pollIdle(long now) {
        Caller caller = idle.poll();
        while (caller != null && now - caller.idleSince() > LONG_IDLE) {
            part(caller);
            caller = idle.poll();
        }
        return caller;
    }

    private long nextDue(int rate) {
        return start + dueCount * 1_000_000_000L / rate;
    }

    private long unsent() {
        if (!(plan.pace() instanceof Pace.PerSecond(int rate))) {
            return 0;
        }
        return Math.max(0, Math.ceilDiv((measureTo - nextDue(rate)) * rate, 1_000_000_000L));
    }

    private void send(Caller caller, long due, long now) {
        Payload payload = payloads.get(nextPayload);
        nextPayload = (nextPayload + 1) % payloads.size();
        byte[] request = payload.next();
        String marker = "";
        if (ledger.isPresent()) {
            marker = payload.marker();
            note(new Entry.Sent(marker, Ledger.hash(payload.body())));
        }
        try {
            caller.send(request, marker, due, now);
            if (isMeasured(caller)) {
                tally.sent(now - due);
            }
        } catch (IOException broken) {
            lose(caller);
        }
    }

    private void select(long now) throws IOException {
        long wait = Math.min(nextWake() - now, Duration.ofMillis(100).toNanos());
        boolean rare = plan.pace() instanceof Pace.PerSecond(int rate) && rate <= RARE;
        long millis = wait / 1_000_000;
        if (wait <= 0 || (millis == 0 && rare)) {
            Thread.onSpinWait();
            selector.selectNow(this::ready);
        } else {
            selector.select(this::ready, Math.max(millis, 1));
        }
    }

    private long nextWake() {
        long wake = sending ? (measuring ? measureTo : measureFrom) : Long.MAX_VALUE;
        if (sending && plan.pace() instanceof Pace.PerSecond(int rate) && !idle.isEmpty()) {
            wake = Math.min(wake, nextDue(rate));
        }
        if (sending && !closed.isEmpty()) {
            wake = Math.min(wake, closed.getFirst().at());
        }
        return wake;
    }

    private void ready(SelectionKey key) {
        var caller = (Caller) key.attachment();
        try {
            if (key.isConnectable()) {
                if (caller.finishOpening()) {
                    free(caller);
                }
                return;
            }
            if (key.isWritable()) {
                caller.flush();
            }
            if (key.isReadable() && caller.read()) {
                answered(caller);
            }
        } catch (IOException broken) {
            lose(caller);
        }
    }

    private void answered(Caller caller) throws IOException {
        long now = System.nanoTime();
        int status = caller.answer().status();
        boolean measured = isMeasured(caller);
        if (status == 200) {
            tally.acceptedAt(now >= measureFrom && now < measureTo);
            if (measured) {
                tally.accepted(now - caller.due());
            }
            if (ledger.isPresent()) {
                note(new Entry.Acked(caller.marker(), requestId(caller.answer()), now));
            }
        } else {
            if (measured) {
                tally.refused(status);
            }
            note(new Entry.Refused(caller.marker(), status));
        }
        caller.answered();
        if (caller.state() == State.IDLE) {
            free(caller);
        } else {
            closed.add(new Reopening(caller, now + REOPEN_PAUSE));
        }
    }

    private static String requestId(Inbox answer) {
        return Json.MAPPER.readTree(answer.body()).path("request_id").asString("-");
    }

    private void free(Caller caller) {
        if (sending && plan.pace() instanceof Pace.BackToBack) {
            long now = System.nanoTime();
            send(caller, now, now);
        } else {
            idle.push(caller);
        }
    }

    /// The connection is gone, and with it the answer that was awaited on it.
    private void lose(Caller caller) {
        if (caller.state() == State.BUSY) {
            if (isMeasured(caller)) {
                tally.unanswered();
            }
            note(new Entry.Unanswered(caller.marker()));
        }
        part(caller);
    }

    private void part(Caller caller) {
        idle.remove(caller);
        caller.close();
        closed.add(new Reopening(caller, System.nanoTime() + REOPEN_PAUSE));
    }

    private boolean isMeasured(Caller caller) {
        return caller.due() >= measureFrom && caller.due() < measureTo;
    }

    private void note(Entry entry) {
        ledger.ifPresent(open -> {
            open.add(entry);
            open.flush();
        });
    }
}
