package dev.sluice.account.access;

import dev.sluice.platform.db.Db;
import dev.sluice.platform.db.Tx;
import dev.sluice.platform.secret.Sealer;

import java.util.Optional;

/// Checks the master key by decrypting the canary, a known text that is stored encrypted in the
/// database. With a wrong key, the server refuses to start. If it did start, it would hold all
/// deliveries, because it could not decrypt any destination's authentication.
public final class SealingCanaryStore {

    private static final String CANARY_TEXT = "canary";
    private static final String CANARY_CONTEXT = "sealing_canary:sealed";

    private SealingCanaryStore() {}

    /// Stores a canary if the database has none, then decrypts the stored canary.
    ///
    /// @throws Sealer.WrongKeyException if the stored canary was encrypted with another key
    public static void check(Db db, Sealer sealer) {
        db.run(tx -> {
            tx.update(
                    "insert into sealing_canary (sealed) values (?) on conflict do nothing",
                    (Object) seal(sealer));
            sealer.open(sealed(tx), CANARY_CONTEXT);
        });
    }

    /// Stores a canary in a database that has none. Throws an exception if there is one already.
    public static void create(Tx tx, Sealer sealer) {
        tx.update("insert into sealing_canary (sealed) values (?)", (Object) seal(sealer));
    }

    /// Returns the stored canary, or empty if no server has used the database yet.
    public static Optional<byte[]> find(Tx tx) {
        return tx.findOne("select sealed from sealing_canary", row -> row.bytes("sealed"));
    }

    /// Returns a new canary, sealed with this key.
    public static byte[] seal(Sealer sealer) {
        return sealer.seal(CANARY_TEXT, CANARY_CONTEXT);
    }

    /// Whether the canary was sealed with this key.
    public static boolean isSealedBy(Sealer sealer, byte[] canary) {
        try {
            sealer.open(canary, CANARY_CONTEXT);
            return true;
        } catch (Sealer.WrongKeyException e) {
            return false;
        }
    }

    private static byte[] sealed(Tx tx) {
        return tx.single("select sealed from sealing_canary", row -> row.bytes("sealed"));
    }
}
