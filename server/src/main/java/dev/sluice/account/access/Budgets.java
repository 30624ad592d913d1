package dev.sluice.account.access;

import dev.sluice.platform.db.ConnectionOwner;
import dev.sluice.platform.db.Db;
import dev.sluice.platform.http.ApiException;
import dev.sluice.platform.meter.CounterFamily;
import dev.sluice.platform.share.ComputePool;

import java.util.HashMap;
import java.util.OptionalInt;
import java.util.Set;

/// The budgets that management requests spend on this node.
///
/// They are spent where the work is done. Here it is asked before a request is carried out whether
/// there is any room, so that a request without room costs next to nothing.
public final class Budgets {

    /// The room that a request has taken. Closing it gives back what the request held all the time.
    @FunctionalInterface
    interface Room extends AutoCloseable {

        @Override
        void close();
    }

    private final Db db;
    private final ApiRateLimiter rates;
    private final ComputePool compute;

    Budgets(Db db, ApiRateLimiter rates, ComputePool compute) {
        this.db = db;
        this.rates = rates;
        this.compute = compute;
    }

    /// Takes room for a request in each of these budgets.
    ///
    /// @param budgets those that the route names
    /// @throws dev.sluice.platform.db.DbException if too many requests of its owner wait for the
    ///   database
    /// @throws ApiException 503 if too many requests of its owner wait for a thread that computes
    Room take(Set<Budget> budgets) {
        if (budgets.contains(Budget.DATABASE)) {
            db.requireRoom();
        }
        if (!budgets.contains(Budget.COMPUTE)) {
            return () -> {};
        }
        var place = compute.take(ConnectionOwner.current()).orElseThrow(Budgets::tooMuchComputing);
        return place::close;
    }

    private static ApiException tooMuchComputing() {
        return ApiException.unavailable(
                "Too many requests that take much computing are under way. This one was not carried"
                        + " out. Try again.");
    }

    /// Counts the requests that were over a limit.
    public CounterFamily refusedRequests() {
        return new CounterFamily(
                "sluice_api_refused_requests",
                "Management requests that were over a limit.",
                "limit",
                () -> {
                    var refused = new HashMap<>(rates.refused());
                    refused.put("compute", compute.refused());
                    return refused;
                });
    }

    /// Replaces the size of a budget, for tests.
    ///
    /// @param size empty for the usual size
    public void resize(Budget budget, OptionalInt size) {
        switch (budget) {
            case REQUESTS -> rates.replaceLimits(size);
            case DATABASE -> db.resize(size);
            case COMPUTE -> compute.resize(size.orElse(ComputePool.MAX_REQUESTS));
        }
    }
}
