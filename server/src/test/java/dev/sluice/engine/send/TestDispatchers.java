package dev.sluice.engine.send;

import java.util.concurrent.Executor;

/// Builds a [Dispatcher] for tests. No other test code does.
public final class TestDispatchers {

    private TestDispatchers() {}

    /// A dispatcher with as many permits as in production.
    ///
    /// @param threads runs each sender on a thread of its own
    public static Dispatcher with(
            DispatchEnvironment environment, AttemptRunner attemptRunner, Executor threads) {
        return with(environment, attemptRunner, threads, Dispatcher.MAX_ATTEMPTS_IN_FLIGHT);
    }

    static Dispatcher with(
            DispatchEnvironment environment,
            AttemptRunner attemptRunner,
            Executor threads,
            int permits) {
        return with(environment, attemptRunner, threads, permits, 0);
    }

    static Dispatcher with(
            DispatchEnvironment environment,
            AttemptRunner attemptRunner,
            Executor threads,
            int permits,
            int slowPermits) {
        return new Dispatcher(environment, attemptRunner, threads, permits, slowPermits);
    }
}
