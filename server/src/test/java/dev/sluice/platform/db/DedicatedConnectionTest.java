package dev.sluice.platform.db;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.testkit.TestPostgres;

import org.junit.jupiter.api.Test;

class DedicatedConnectionTest {

    /// Without it, the first work after a quiet hour might wait for a connection that a network
    /// device has forgotten.
    @Test
    void the_connection_is_not_silent_for_longer_than_a_minute() {
        try (var connection = new DedicatedConnection(TestPostgres.newDatabase(), "test")) {
            String idle =
                    connection.call(tx ->
                            tx.single(
                                    "select current_setting('tcp_keepalives_idle') as idle",
                                    row -> row.text("idle")));
            assertThat(idle).isEqualTo("60");
        }
    }
}
