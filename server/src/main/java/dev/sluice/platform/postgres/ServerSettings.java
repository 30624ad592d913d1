package dev.sluice.platform.postgres;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.util.Map;

/// PostgreSQL's settings, written anew before each start.
///
/// @param extra added last, so they win over ours
record ServerSettings(int port, Map<String, String> extra) {

    ServerSettings {
        extra = Map.copyOf(extra);
    }

    void write(Home home) {
        try {
            Files.writeString(home.configuration(), text());
            Home.permit(home.configuration(), "rw-r--r--");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// Sized for two cores and four gigabytes. Time zone and messages don't follow the machine's.
    private String text() {
        var text =
                new StringBuilder(
                        """
                        # Written by Sluice at each start. What you add with ALTER SYSTEM stays, and wins.
                        listen_addresses = '127.0.0.1'
                        port = %d
                        unix_socket_directories = ''
                        max_connections = 60

                        fsync = on
                        synchronous_commit = on
                        full_page_writes = on
                        shared_buffers = 256MB
                        wal_buffers = 16MB
                        wal_compression = off
                        min_wal_size = 1GB
                        max_wal_size = 1GB
                        checkpoint_timeout = 15min
                        checkpoint_completion_target = 0.9
                        checkpoint_warning = 0
                        autovacuum_naptime = 15s
                        autovacuum_freeze_max_age = 1200000000
                        jit = off

                        timezone = 'UTC'
                        log_timezone = 'UTC'
                        lc_messages = 'C'
                        log_destination = 'stderr'
                        """
                                .formatted(port));
        extra.forEach((name, value) ->
                text.append("%s = '%s'%n".formatted(name, value.replace("'", "''"))));
        return text.toString();
    }
}
