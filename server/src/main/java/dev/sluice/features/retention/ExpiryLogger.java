package dev.sluice.features.retention;

import dev.sluice.engine.ExpiringDeliveries;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.Comparator;
import java.util.List;

/// Logs how many deliveries will expire soon, both in total and for the connections that have the
/// most of them.
final class ExpiryLogger {

    private static final Logger log = LoggerFactory.getLogger(ExpiryLogger.class);

    /// The maximum number of connections that get their own log line. The connections with the most
    /// expiring deliveries are chosen.
    private static final int MAX_LOGGED_CONNECTIONS = 20;

    private ExpiryLogger() {}

    static void log(List<ExpiringDeliveries> soon) {
        log.atWarn()
                .addKeyValue(
                        "deliveries", soon.stream().mapToLong(ExpiringDeliveries::deliveries).sum())
                .addKeyValue("connections", soon.size())
                .log("deliveries.expiry_announced");
        soon.stream()
                .sorted(Comparator.comparingLong(ExpiringDeliveries::deliveries).reversed())
                .limit(MAX_LOGGED_CONNECTIONS)
                .forEach(one ->
                        log.atWarn()
                                .addKeyValue("source_id", one.source())
                                .addKeyValue("connection_id", one.connection())
                                .addKeyValue("deliveries", one.deliveries())
                                .addKeyValue("first_at", one.first())
                                .log("connection.expiry_announced"));
    }
}
