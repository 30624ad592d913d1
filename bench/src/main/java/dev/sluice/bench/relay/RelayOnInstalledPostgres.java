package dev.sluice.bench.relay;

import dev.sluice.bench.measure.ProcessRole;

import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.Map;

/// A relay and the PostgreSQL server that it uses, which is started from the programs installed on
/// this machine. Closing this object stops both.
public record RelayOnInstalledPostgres(RelayProcess relay, InstalledPostgres postgres)
        implements SystemUnderTest {

    /// @param programs the folder that contains PostgreSQL's programs
    public static RelayOnInstalledPostgres start(Path launcher, boolean keep, Path programs) {
        var postgres = InstalledPostgres.start(programs);
        try {
            String url = postgres.address().url();
            var settings =
                    Map.of("SLUICE_DATABASE_URL", url, "SLUICE_MASTER_KEY", randomMasterKey());
            var relay = RelayProcess.start(launcher, keep, settings);
            return new RelayOnInstalledPostgres(relay, postgres);
        } catch (RuntimeException e) {
            postgres.close();
            throw e;
        }
    }

    private static String randomMasterKey() {
        byte[] key = new byte[32];
        new SecureRandom().nextBytes(key);
        return Base64.getEncoder().encodeToString(key);
    }

    @Override
    public RelayApi api() {
        return relay.api();
    }

    @Override
    public Map<ProcessRole, Long> processes() {
        return Map.of(ProcessRole.RELAY, relay.pid(), ProcessRole.POSTGRES, postgres.pid());
    }

    @Override
    public void close() {
        relay.close();
        postgres.close();
    }
}
