package dev.sluice;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.platform.secret.Secret;
import dev.sluice.platform.secret.SecretGenerator;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class StorageTest {

    @ParameterizedTest
    @ValueSource(strings = {"", "not base64!", "AAECAwQFBgc="})
    void a_damaged_key_file_says_what_to_do(String key) {
        assertThatThrownBy(() -> Storage.sealer(new Secret(key), new SecretGenerator()))
                .isInstanceOf(StartupException.class)
                .hasMessage(
                        "The file master.key in the data directory is damaged. Restore it from a"
                                + " backup.");
    }
}
