package dev.sluice.journey;

import dev.sluice.RunningSluice;
import dev.sluice.platform.secret.Sealer;
import dev.sluice.platform.secret.SecretGenerator;
import dev.sluice.testkit.ApiClient;

import java.util.Base64;

/// Overwrites settings in a server's database, as another version or damage would. The server reads
/// them within half a second.
final class StoredSettings {

    private static final Sealer SEALER =
            new Sealer(Base64.getDecoder().decode(RunningSluice.MASTER_KEY), new SecretGenerator());

    private StoredSettings() {}

    /// @param json the auth config before it is sealed
    static void auth(RunningSluice sluice, ApiClient.ApiResponse destination, String json) {
        byte[] sealed = SEALER.seal(json, "destination:auth:" + destination.text("id"));
        update(sluice, "destination", "auth", destination, sealed);
    }

    /// @param json the verification config before it is sealed
    static void verification(RunningSluice sluice, ApiClient.ApiResponse source, String json) {
        byte[] sealed = SEALER.seal(json, "source:verification:" + source.text("id"));
        update(sluice, "source", "verification", source, sealed);
    }

    static void update(
            RunningSluice sluice,
            String table,
            String column,
            ApiClient.ApiResponse record,
            Object value) {
        try (var db = sluice.db()) {
            db.run(tx -> {
                long version =
                        tx.single(
                                "update config_version set version = version + 1 returning version",
                                row -> row.number("version"));
                tx.update(
                        "update "
                                + table
                                + " set "
                                + column
                                + " = ?, version = ? where id::text = ?",
                        value,
                        version,
                        record.text("id"));
            });
        }
    }
}
