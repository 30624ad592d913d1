package dev.sluice.account.access;

import dev.sluice.platform.db.Db;
import dev.sluice.platform.db.Tx;
import dev.sluice.platform.secret.Sealer;

/// Checks the master key by one encrypted value in the database. With a wrong key the server
/// refuses to start. Without this check it would start, and each delivery would fail.
public final class SealingCanaryStore {

    private static final String CANARY_TEXT = "canary";
    private static final String CANARY_CONTEXT = "sealing_canary:sealed";

    private SealingCanaryStore() {}

    /// Stores the canary when the server first starts, and decrypts it at every start.
    ///
    /// @throws Sealer.WrongKeyException if the database was encrypted with another key
    public static void check(Db db, Sealer sealer) {
        db.run(tx -> {
            tx.update(
                    "insert into sealing_canary (sealed) values (?) on conflict do nothing",
                    (Object) sealer.seal(CANARY_TEXT, CANARY_CONTEXT));
            sealer.open(sealed(tx), CANARY_CONTEXT);
        });
    }

    private static byte[] sealed(Tx tx) {
        return tx.single("select sealed from sealing_canary", row -> row.bytes("sealed"));
    }
}
