package dev.sluice.platform.postgres;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.util.Map;

/// The embedded server's configuration file, written before each start.
///
/// @param extra settings that are written last, so they override Sluice's own
record PostgresSettings(int port, Map<String, String> extra) {

    PostgresSettings {
        extra = Map.copyOf(extra);
    }

    void write(PostgresDirectory postgresDirectory) {
        try {
            Files.writeString(postgresDirectory.configuration(), text());
            PostgresDirectory.setPermissions(postgresDirectory.configuration(), "rw-r--r--");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// Returns the text of the configuration file. The memory sizes suit a machine with two cores
    /// and 4 GB of memory. The time zone and the language of messages are fixed, so the machine's
    /// locale has no effect.
    private String text() {
        var text =
                new StringBuilder(
                        """
                        # Written by Sluice at each start. Settings made with ALTER SYSTEM are kept and override these.
                        listen_addresses = '127.0.0.1'
                        port = %d
                        unix_socket_directories = ''
                        max_connections = 60
                        authentication_timeout = 10s

                        fsync = on
                        synchronous_commit = on
                        full_page_writes = on
                        shared_buffers = 32MB
                        wal_buffers = 4MB
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
