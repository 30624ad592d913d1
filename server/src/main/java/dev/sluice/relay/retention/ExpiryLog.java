package dev.sluice.relay.retention;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.Comparator;
import java.util.List;

/// Says in the log what will end unsent.
public final class ExpiryLog implements ExpiryListener {

    private static final Logger log = LoggerFactory.getLogger(ExpiryLog.class);

    /// Connections named one by one, those with most deliveries first.
    private static final int MOST_NAMED = 20;

    @Override
    public void expiring(List<Expiring> soon) {
        log.atWarn()
                .addKeyValue("deliveries", soon.stream().mapToLong(Expiring::deliveries).sum())
                .addKeyValue("connections", soon.size())
                .log("deliveries.expiring");
        soon.stream()
                .sorted(Comparator.comparingLong(Expiring::deliveries).reversed())
                .limit(MOST_NAMED)
                .forEach(one ->
                        log.atWarn()
                                .addKeyValue("source_id", one.source())
                                .addKeyValue("connection_id", one.connection())
                                .addKeyValue("deliveries", one.deliveries())
                                .addKeyValue("first_at", one.first())
                                .log("deliveries.expiring_on"));
    }
}
