package dev.sluice.account.access;

import dev.sluice.platform.db.Db;
import dev.sluice.platform.db.Tx;
import dev.sluice.platform.secret.Sealer;

/// One sealed value in the database, so that a wrong master key is noticed at the start and not
/// delivery by delivery.
public final class SealingCanary {

    private static final String TEXT = "canary";
    private static final String PLACE = "sealing_canary:sealed";

    private SealingCanary() {}

    /// @throws Sealer.WrongKey when the database was sealed under another key
    public static void check(Db db, Sealer sealer) {
        db.run(tx -> {
            tx.update(
                    "insert into sealing_canary (sealed) values (?) on conflict do nothing",
                    (Object) sealer.seal(TEXT, PLACE));
            sealer.open(sealed(tx), PLACE);
        });
    }

    private static byte[] sealed(Tx tx) {
        return tx.single("select sealed from sealing_canary", row -> row.bytes("sealed"));
    }
}
