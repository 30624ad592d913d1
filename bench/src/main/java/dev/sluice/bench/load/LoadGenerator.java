package dev.sluice.bench.load;

import dev.sluice.bench.ledger.MessageEntry;
import dev.sluice.bench.ledger.MessageLedger;
import dev.sluice.bench.load.LoadConnection.LoadConnectionState;
import dev.sluice.bench.platform.BenchJson;
import dev.sluice.bench.platform.CommandLineOptions;
import dev.sluice.bench.platform.HttpMessageReader;
import dev.sluice.bench.platform.ParentProcess;

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

/// Sends the requests that a load plan describes, all from one thread, and counts the responses.
///
/// When run as a process, it prints `measuring` when the measurement period starts and `measured`
/// when it ends, and then its result as a line of JSON.
public final class LoadGenerator {

    private static final long ANSWER_TIMEOUT_NANOS = Duration.ofSeconds(30).toNanos();

    /// The longest time that a connection may be idle and still be reused. It is shorter than the
    /// 30 s after which the relay closes an idle connection.
    private static final long MAX_IDLE_NANOS = Duration.ofSeconds(20).toNanos();

    private static final long REOPEN_DELAY_NANOS = Duration.ofMillis(50).toNanos();

    /// The generator starts opening connections this long before the first request is due.
    private static final long CONNECT_LEAD_NANOS = Duration.ofMillis(200).toNanos();

    /// The maximum rate, in requests per second, at which the generator still busy-waits for the
    /// last millisecond before a request is due. A selector may wake up a millisecond late, and
    /// that delay would make up most of the latency measured on an idle relay.
    private static final int MAX_SPINNING_RATE = 200;

    private final LoadPlan plan;
    private final Consumer<String> phases;
    private final List<LoadRequestTemplate> templates = new ArrayList<>();
    private int nextTemplate;
    private final Optional<MessageLedger> ledger;
    private final LoadCounters tally = new LoadCounters();
    private final List<LoadConnection> connections = new ArrayList<>();
    private final ArrayDeque<LoadConnection> idle = new ArrayDeque<>();
    private final ArrayDeque<ScheduledReconnect> closed = new ArrayDeque<>();
    private final Selector selector;

    private final long start;
    private final long measureFrom;
    private long measureTo;
    private boolean measuring;
    private boolean sending = true;
    private long dueCount;
    private long nextExpiry;
    private volatile boolean stopped;

    private record ScheduledReconnect(LoadConnection connection, long at) {}

    private LoadGenerator(LoadPlan plan, Consumer<String> phases, Selector selector) {
        this.plan = plan;
        this.phases = phases;
        this.selector = selector;
        for (int place = 0; place < plan.ingests().size(); place++) {
            templates.add(LoadRequestTemplate.forSource(plan, place, new SplittableRandom()));
        }
        this.ledger = plan.ledger().map(MessageLedger::append);
        this.start = System.nanoTime() + CONNECT_LEAD_NANOS;
        this.measureFrom = start + plan.warmUp().toNanos();
        this.measureTo = measureFrom + plan.measured().toNanos();
    }

    public static void main(String[] arguments) throws IOException {
        var options = CommandLineOptions.parse(List.of(arguments));
        var plan = LoadPlan.from(options);
        boolean untilClosed = options.flag("until-closed");
        options.rejectUnknown();
        var generator = open(plan, System.out::println);
        if (untilClosed) {
            ParentProcess.onExit(generator::stop);
        }
        System.out.println(BenchJson.compact(generator.run()));
    }

    public static LoadGenerator open(LoadPlan plan, Consumer<String> phases) throws IOException {
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
        int size =
                generator.templates.stream()
                        .mapToInt(LoadRequestTemplate::size)
                        .max()
                        .orElseThrow();
        for (int count = 0; count < plan.connections(); count++) {
            generator.connections.add(new LoadConnection(generator.selector, address, size));
        }
        return generator;
    }

    /// Ends the measurement period immediately. May be called from any thread.
    public void stop() {
        stopped = true;
        selector.wakeup();
    }

    /// Sends the requests. Returns once the measurement period is over and every request that was
    /// sent has been answered or has failed, but no more than about 30 s after the period's end.
    public LoadResult run() throws IOException {
        connections.forEach(this::open);
        long now = System.nanoTime();
        while (sending || (hasPendingAnswers() && now < measureTo + ANSWER_TIMEOUT_NANOS)) {
            sendDue(now);
            updatePhase(now);
            reopen(now);
            timeOutRequests(now);
            select(now);
            now = System.nanoTime();
        }
        connections.forEach(LoadConnection::close);
        selector.close();
        ledger.ifPresent(MessageLedger::close);
        return tally.result(Math.max(measureTo - measureFrom, 1) / 1e9, unsent());
    }

    /// Starts the measurement when the warm-up is over, and ends it when its time is up or
    /// [#stop()] has been called.
    private void updatePhase(long now) {
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

    private boolean hasPendingAnswers() {
        for (LoadConnection connection : connections) {
            if (connection.state() == LoadConnectionState.BUSY) {
                return true;
            }
        }
        return false;
    }

    private void open(LoadConnection connection) {
        try {
            connection.open();
            if (connection.state() == LoadConnectionState.IDLE) {
                onIdle(connection);
            }
        } catch (IOException refused) {
            // The relay may be down for a while as part of the test.
            onConnectionLost(connection);
        }
    }

    private void reopen(long now) {
        while (sending && !closed.isEmpty() && closed.getFirst().at() <= now) {
            open(closed.removeFirst().connection());
        }
    }

    private void timeOutRequests(long now) {
        if (now < nextExpiry) {
            return;
        }
        nextExpiry = now + Duration.ofSeconds(1).toNanos();
        for (LoadConnection connection : connections) {
            if (connection.state() == LoadConnectionState.BUSY
                    && now - connection.sentAt() > ANSWER_TIMEOUT_NANOS) {
                if (isMeasured(connection)) {
                    tally.timedOut();
                }
                addEntry(new MessageEntry.UnansweredEntry(connection.marker()));
                reconnectLater(connection);
            }
        }
    }

    private void sendDue(long now) {
        if (!(plan.pattern() instanceof LoadPattern.ConstantRate(int rate))) {
            return;
        }
        while (sending && nextDue(rate) <= now && nextDue(rate) < measureTo) {
            long due = nextDue(rate);
            LoadConnection connection = pollIdle(now);
            if (connection != null) {
                send(connection, due, now);
            } else if (closed.size() < connections.size()) {
                return;
            } else if (due >= measureFrom) {
                tally.unreachable();
            }
            dueCount++;
        }
    }

    /// Returns an idle connection, or null if there is none. Connections that have been idle for
    /// too long are skipped and reconnected because the relay may be about to close them.
    private @Nullable LoadConnection pollIdle(long now) {
        LoadConnection connection = idle.poll();
        while (connection != null && now - connection.idleSince() > MAX_IDLE_NANOS) {
            reconnectLater(connection);
            connection = idle.poll();
        }
        return connection;
    }

    private long nextDue(int rate) {
        return start + dueCount * 1_000_000_000L / rate;
    }

    private long unsent() {
        if (!(plan.pattern() instanceof LoadPattern.ConstantRate(int rate))) {
            return 0;
        }
        return Math.max(0, Math.ceilDiv((measureTo - nextDue(rate)) * rate, 1_000_000_000L));
    }

    private void send(LoadConnection connection, long due, long now) {
        LoadRequestTemplate template = templates.get(nextTemplate);
        nextTemplate = (nextTemplate + 1) % templates.size();
        byte[] request = template.next();
        String marker = "";
        if (ledger.isPresent()) {
            marker = template.marker();
            addEntry(new MessageEntry.SentEntry(marker, MessageLedger.hash(template.body())));
        }
        try {
            connection.send(request, marker, due, now);
            if (isMeasured(connection)) {
                tally.sent(now - due);
            }
        } catch (IOException broken) {
            onConnectionLost(connection);
        }
    }

    private void select(long now) throws IOException {
        long wait = Math.min(nextWake() - now, Duration.ofMillis(100).toNanos());
        boolean rare =
                plan.pattern() instanceof LoadPattern.ConstantRate(int rate)
                        && rate <= MAX_SPINNING_RATE;
        long millis = wait / 1_000_000;
        if (wait <= 0 || (millis == 0 && rare)) {
            Thread.onSpinWait();
            selector.selectNow(this::onReady);
        } else {
            selector.select(this::onReady, Math.max(millis, 1));
        }
    }

    private long nextWake() {
        long wake = sending ? (measuring ? measureTo : measureFrom) : Long.MAX_VALUE;
        if (sending
                && plan.pattern() instanceof LoadPattern.ConstantRate(int rate)
                && !idle.isEmpty()) {
            wake = Math.min(wake, nextDue(rate));
        }
        if (sending && !closed.isEmpty()) {
            wake = Math.min(wake, closed.getFirst().at());
        }
        return wake;
    }

    private void onReady(SelectionKey key) {
        var connection = (LoadConnection) key.attachment();
        try {
            if (key.isConnectable()) {
                if (connection.finishOpening()) {
                    onIdle(connection);
                }
                return;
            }
            if (key.isWritable()) {
                connection.flush();
            }
            if (key.isReadable() && connection.read()) {
                onAnswer(connection);
            }
        } catch (IOException broken) {
            onConnectionLost(connection);
        }
    }

    private void onAnswer(LoadConnection connection) throws IOException {
        long now = System.nanoTime();
        int status = connection.response().status();
        boolean measured = isMeasured(connection);
        if (status == 200) {
            tally.countAccepted(now >= measureFrom && now < measureTo);
            if (measured) {
                tally.accepted(now - connection.dueAt());
            }
            if (ledger.isPresent()) {
                addEntry(
                        new MessageEntry.AckedEntry(
                                connection.marker(), requestId(connection.response()), now));
            }
        } else {
            if (measured) {
                tally.refused(status);
            }
            addEntry(new MessageEntry.RefusedEntry(connection.marker(), status));
        }
        connection.finishExchange();
        if (connection.state() == LoadConnectionState.IDLE) {
            onIdle(connection);
        } else {
            closed.add(new ScheduledReconnect(connection, now + REOPEN_DELAY_NANOS));
        }
    }

    private static String requestId(HttpMessageReader answer) {
        return BenchJson.MAPPER.readTree(answer.body()).path("request_id").asString("-");
    }

    private void onIdle(LoadConnection connection) {
        if (sending && plan.pattern() instanceof LoadPattern.BackToBack) {
            long now = System.nanoTime();
            send(connection, now, now);
        } else {
            idle.push(connection);
        }
    }

    /// Handles a lost connection: counts its pending request, if any, as unanswered, and reconnects
    /// later.
    private void onConnectionLost(LoadConnection connection) {
        if (connection.state() == LoadConnectionState.BUSY) {
            if (isMeasured(connection)) {
                tally.unanswered();
            }
            addEntry(new MessageEntry.UnansweredEntry(connection.marker()));
        }
        reconnectLater(connection);
    }

    private void reconnectLater(LoadConnection connection) {
        idle.remove(connection);
        connection.close();
        closed.add(new ScheduledReconnect(connection, System.nanoTime() + REOPEN_DELAY_NANOS));
    }

    private boolean isMeasured(LoadConnection connection) {
        return connection.dueAt() >= measureFrom && connection.dueAt() < measureTo;
    }

    private void addEntry(MessageEntry entry) {
        ledger.ifPresent(open -> {
            open.add(entry);
            open.flush();
        });
    }
}
