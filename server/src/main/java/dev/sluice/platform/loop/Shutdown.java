package dev.sluice.platform.loop;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.Stream;

/// The steps that stop the server. They run in reverse order: the step added last runs first.
///
/// The thread that starts the server adds the steps; the thread that stops it calls `close` once.
public final class Shutdown implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(Shutdown.class);

    /// How often the log names the step that the shutdown is waiting for.
    private static final Duration REPORT_INTERVAL = Duration.ofSeconds(2);

    private final Activity activity;
    private final Duration reportInterval;
    private final Deque<ShutdownStep> steps = new ArrayDeque<>();

    /// The loop of each chore, by the chore's name. Read by other threads.
    private final Map<String, Loop> loops = new ConcurrentSkipListMap<>();

    /// @param activity tells whether the process is idle; while it is idle, chores run less often
    public Shutdown(Activity activity) {
        this(activity, REPORT_INTERVAL);
    }

    /// @param reportInterval how long a step may take before the log names it
    Shutdown(Activity activity, Duration reportInterval) {
        this.activity = activity;
        this.reportInterval = reportInterval;
    }

    /// Returns the activity that the intervals of the chores depend on.
    public Activity activity() {
        return activity;
    }

    private record ShutdownStep(String name, AutoCloseable action) {}

    /// Adds a step that runs before all steps added earlier. If it fails, the failure is logged and
    /// the other steps still run.
    public void first(String name, AutoCloseable action) {
        steps.push(new ShutdownStep(name, action));
    }

    /// Adds a step that closes `opened` before all steps added earlier.
    ///
    /// @return `opened`
    public <T extends AutoCloseable> T closing(String name, T opened) {
        first(name, opened);
        return opened;
    }

    /// Starts the chore's loop, and adds steps that close the loop and then run `atEnd`.
    public void start(Chore chore) {
        chore.atEnd().ifPresent(action -> first(chore.name() + ", at its end", action));
        Supplier<Duration> pause = () -> chore.pause(activity.isIdle());
        var loop =
                closing(
                        chore.name(),
                        Loop.start(
                                chore.name(),
                                pause,
                                chore.gap(),
                                wakesOf(chore),
                                () -> run(chore)));
        loops.put(chore.name(), loop);
    }

    private List<Wake> wakesOf(Chore chore) {
        return chore.isSteady()
                ? chore.wakes()
                : Stream.concat(chore.wakes().stream(), Stream.of(activity.resumed())).toList();
    }

    private boolean run(Chore chore) throws InterruptedException {
        boolean isMore = chore.step().run();
        if (isMore) {
            activity.mark();
        }
        return isMore;
    }

    /// Returns the names of the chores whose loop is failing ([Loop#isFailing]), in alphabetical
    /// order. Thread-safe.
    public List<String> failingChores() {
        return loops.entrySet().stream()
                .filter(entry -> entry.getValue().isFailing())
                .map(Map.Entry::getKey)
                .toList();
    }

    /// Returns the names of the steps in the order in which `close` runs them.
    public List<String> order() {
        return steps.stream().map(ShutdownStep::name).toList();
    }

    @Override
    public void close() {
        while (!steps.isEmpty()) {
            var step = steps.pop();
            var ended = new CountDownLatch(1);
            Thread.ofVirtual().name("stop-report").start(() -> reportWait(step, ended));
            try {
                step.action().close();
            } catch (Exception e) {
                log.atWarn()
                        .addKeyValue("step", step.name())
                        .setCause(e)
                        .log("shutdown.step_failed");
            } finally {
                ended.countDown();
            }
        }
    }

    /// Logs, once in each interval, that the shutdown is waiting for this step. Returns when the
    /// step has ended.
    private void reportWait(ShutdownStep step, CountDownLatch ended) {
        var waited = Duration.ZERO;
        try {
            while (!ended.await(reportInterval.toMillis(), TimeUnit.MILLISECONDS)) {
                waited = waited.plus(reportInterval);
                log.atInfo()
                        .addKeyValue("step", step.name())
                        .addKeyValue("milliseconds", waited.toMillis())
                        .log("shutdown.delayed");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
