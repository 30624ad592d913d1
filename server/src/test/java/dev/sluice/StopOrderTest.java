package dev.sluice;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/// Tests the order in which a server stops, which is the reverse of its start order.
class StopOrderTest {

    @Test
    void what_takes_in_stops_before_what_sends_and_what_sends_before_what_stores() {
        try (var sluice = RunningSluice.start()) {
            assertThat(sluice.stopOrder())
                    .containsExactly(
                            "announce the stop",
                            "close the in-flight recorder",
                            "test deliveries",
                            "live streams",
                            "HTTP",
                            "audit",
                            "audit, at its end",
                            "alerts",
                            "alerts, at its end",
                            "alert messages",
                            "alert messages, at its end",
                            "stream access",
                            "stream feed",
                            "erasure",
                            "replays",
                            "replays, at its end",
                            "retention",
                            "retention, at its end",
                            "free space",
                            "failure log",
                            "partitions",
                            "leaks",
                            "due work",
                            "long transactions",
                            "quarantine",
                            "standings",
                            "rate limits",
                            "quota",
                            "refusals",
                            "refusals, at its end",
                            "ingest rate limits",
                            "commit log",
                            "usage folding",
                            "sweep",
                            "lane wakes",
                            "circuits",
                            "trash",
                            "configuration",
                            "idempotency keys",
                            "audit log",
                            "expired sessions",
                            "password resets",
                            "clock",
                            "connections of test deliveries",
                            "connections of alerts",
                            "journal",
                            "journal overdue",
                            "probes",
                            "backlog",
                            "dispatcher",
                            "write counted failures",
                            "results",
                            "write lane wakes",
                            "write circuits",
                            "give back quota",
                            "give back lanes",
                            "connections to destinations",
                            "takeover",
                            "heartbeat",
                            "give up the node lease",
                            "in-flight file",
                            "compute",
                            "pool node",
                            "pool delivery",
                            "pool relay",
                            "pool access",
                            "pool api",
                            "data directory");
        }
    }
}
