package dev.sluice.engine;

import java.util.Collection;
import java.util.List;
import java.util.stream.Collectors;

/// SQL conditions on the stored status of a delivery.
///
/// The status numbers are literals, not parameters. PostgreSQL uses the partial indexes on dead
/// letters and on filtered deliveries only if it sees the numbers while planning the query.
public final class DeliveryStatusSql {

    /// The statuses of a dead letter: a delivery that failed or used up its retries. The partial
    /// index on dead letters covers exactly these two statuses.
    public static final List<DeliveryStatus> DEAD_STATUSES =
            List.of(DeliveryStatus.FAILED, DeliveryStatus.EXHAUSTED);

    /// A condition on the column `status` that is true if the delivery is a dead letter.
    public static final String IS_DEAD = in("status", DEAD_STATUSES);

    private DeliveryStatusSql() {}

    /// Returns a condition such as `status = 6`.
    ///
    /// @param column the column that contains the status
    public static String equal(String column, DeliveryStatus status) {
        return column + " = " + status.number();
    }

    /// Returns a condition such as `status in (4, 5)`.
    ///
    /// @param column the column that contains the status
    /// @param statuses at least one
    public static String in(String column, Collection<DeliveryStatus> statuses) {
        return column + " in (" + numbers(statuses) + ")";
    }

    /// Returns the numbers of the statuses, such as `4, 5`.
    public static String numbers(Collection<DeliveryStatus> statuses) {
        return statuses.stream()
                .map(DeliveryStatus::number)
                .sorted()
                .map(String::valueOf)
                .collect(Collectors.joining(", "));
    }
}
