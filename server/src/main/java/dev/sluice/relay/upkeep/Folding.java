package dev.sluice.relay.upkeep;

import dev.sluice.platform.db.Db;
import dev.sluice.platform.loop.Loop;
import dev.sluice.relay.store.Ledger;

/// Folds the usage ledger into its sums. Any node may; two at once wait for each other.
public final class Folding implements Loop.Step {

    private final Db db;

    public Folding(Db db) {
        this.db = db;
    }

    @Override
    public boolean run() {
        db.call(Ledger::fold);
        return false;
    }
}
