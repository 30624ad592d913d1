package dev.sluice.features.retention;

import dev.sluice.account.plan.PlanCatalog;
import dev.sluice.account.plan.Retention;
import dev.sluice.features.retention.RetentionQueries.RetainedSource;
import dev.sluice.platform.db.Tx;

import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;

/// A group of sources whose events are kept for the same retention period. There are never more
/// groups than plans.
///
/// @param retention the retention period, which is never unlimited
/// @param days the length of the retention period in days
record RetentionGroup(Retention retention, int days, List<RetainedSource> sources) {

    /// Reads the groups, ordered by retention, shortest first. Sources with unlimited retention do
    /// not belong to any group.
    static List<RetentionGroup> readAll(Tx tx, PlanCatalog plans) {
        return RetentionQueries.sources(tx).stream()
                .collect(
                        Collectors.groupingBy(
                                source -> plans.byNameOrLast(source.plan()).limits().retention()))
                .entrySet()
                .stream()
                .filter(entry -> entry.getKey().days().isPresent())
                .map(entry ->
                        new RetentionGroup(
                                entry.getKey(), entry.getKey().days().getAsInt(), entry.getValue()))
                .sorted(Comparator.comparingInt(RetentionGroup::days))
                .toList();
    }
}
