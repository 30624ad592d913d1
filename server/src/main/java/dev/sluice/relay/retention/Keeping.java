package dev.sluice.relay.retention;

import dev.sluice.account.plan.PlanCatalog;
import dev.sluice.account.plan.Retention;
import dev.sluice.platform.db.Tx;
import dev.sluice.relay.store.RetentionStore;
import dev.sluice.relay.store.RetentionStore.Kept;

import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;

/// Sources whose events are kept equally long: there are as many of these as plans.
///
/// @param retention not without end
/// @param days of it
record Keeping(Retention retention, int days, List<Kept> sources) {

    /// Shortest first, without those that are kept without end.
    static List<Keeping> all(Tx tx, PlanCatalog plans) {
        return RetentionStore.sources(tx).stream()
                .collect(
                        Collectors.groupingBy(
                                source -> plans.named(source.plan()).limits().retention()))
                .entrySet()
                .stream()
                .filter(entry -> entry.getKey().days().isPresent())
                .map(entry ->
                        new Keeping(
                                entry.getKey(), entry.getKey().days().getAsInt(), entry.getValue()))
                .sorted(Comparator.comparingInt(Keeping::days))
                .toList();
    }
}
