package dev.sluice.account.access;

import dev.sluice.platform.db.Db;

import java.util.OptionalInt;
import java.util.Set;

/// The budgets that management requests spend on this node.
///
/// They are spent where the work is done. Here it is asked before a request is carried out whether
/// there is any room, so that a request without room costs next to nothing.
public final class Budgets {

    private final Db db;
    private final ApiRateLimiter rates;

    Budgets(Db db, ApiRateLimiter rates) {
        this.db = db;
        this.rates = rates;
    }

    /// Returns if there is room for a request in each of these budgets.
    ///
    /// @throws dev.sluice.platform.db.DbException if too many requests of its owner wait for the
    ///   database
    void requireRoom(Set<Budget> budgets) {
        if (budgets.contains(Budget.DATABASE)) {
            db.requireRoom();
        }
    }

    /// Replaces the size of a budget, for tests.
    ///
    /// @param size empty for the usual size
    public void resize(Budget budget, OptionalInt size) {
        switch (budget) {
            case REQUESTS -> rates.replaceLimits(size);
            case DATABASE -> db.resize(size);
        }
    }
}
