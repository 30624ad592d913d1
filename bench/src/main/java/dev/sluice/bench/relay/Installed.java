package dev.sluice.bench.relay;

import dev.sluice.bench.measure.Role;

import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.Map;

/// A relay of our own on a PostgreSQL that is installed on this machine. Owns both.
public record Installed(Relay relay, InstalledPostgres postgres) implements Target {

    /// @param programs the folder of PostgreSQL's programs
    public static Installed start(Path launcher, boolean keep, Path programs) {
        var postgres = InstalledPostgres.start(programs);
        try {
            var settings =
                    Map.of(
                            "SLUICE_DATABASE_URL",
                            postgres.address().url(),
                            "SLUICE_MASTER_KEY",
                            masterKey());
            return new Installed(Relay.start(launcher, keep, settings), postgres);
        } catch (RuntimeException e) {
            postgres.close();
            throw e;
        }
    }

    private static String masterKey() {
        byte[] key = new byte[32];
        new SecureRandom().nextBytes(key);
        return Base64.getEncoder().encodeToString(key);
    }

    @Override
    public Api api() {
        return relay.api();
    }

    @Override
    public Map<Role, Long> processes() {
        return Map.of(
                Role.RELAY,
                relay.processes().getOrDefault(Role.RELAY, 0L),
                Role.POSTGRES,
                postgres.pid());
    }

    @Override
    public void close() {
        relay.close();
        postgres.close();
    }
}
