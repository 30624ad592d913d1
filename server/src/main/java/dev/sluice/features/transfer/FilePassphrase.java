package dev.sluice.features.transfer;

import dev.sluice.account.access.PasswordHasher;
import dev.sluice.platform.datafile.DataFileHeader.PassphraseParameters;
import dev.sluice.platform.secret.Sealer;
import dev.sluice.platform.secret.Secret;
import dev.sluice.platform.secret.SecretGenerator;

import java.util.Base64;

/// Derives a key from a passphrase, in order to seal the secrets in a data file.
final class FilePassphrase {

    private static final int SALT_BYTES = 16;

    private FilePassphrase() {}

    static PassphraseParameters newParameters(SecretGenerator random) {
        var cost = PasswordHasher.KeyCost.DEFAULT;
        return new PassphraseParameters(
                Base64.getEncoder().encodeToString(random.bytes(SALT_BYTES)),
                cost.memoryKib(),
                cost.iterations(),
                cost.parallelism());
    }

    /// Returns a sealer whose key is derived from the passphrase.
    ///
    /// @throws IllegalArgumentException if the salt is not Base64
    static Sealer sealer(
            Secret passphrase, PassphraseParameters parameters, SecretGenerator random) {
        var cost =
                new PasswordHasher.KeyCost(
                        parameters.memoryKib(), parameters.iterations(), parameters.parallelism());
        byte[] salt = Base64.getDecoder().decode(parameters.salt());
        return new Sealer(PasswordHasher.key(passphrase, salt, cost), random);
    }
}
