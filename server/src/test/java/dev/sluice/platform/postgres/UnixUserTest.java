package dev.sluice.platform.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.util.List;

class UnixUserTest {

    @Test
    void an_account_of_our_own_comes_before_the_ones_every_machine_has() {
        var passwd =
                List.of(
                        "root:x:0:0:root:/root:/bin/bash",
                        "nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin",
                        "postgres:x:101:104::/var/lib/postgresql:/bin/bash",
                        "sluice:x:990:991::/srv/sluice:/bin/false");

        assertThat(UnixUser.candidates(passwd))
                .containsExactly(
                        new UnixUser("sluice", 990, 991),
                        new UnixUser("postgres", 101, 104),
                        new UnixUser("nobody", 65534, 65534));
    }

    @Test
    void an_account_that_is_root_by_another_name_is_not_fit() {
        assertThat(UnixUser.candidates(List.of("postgres:x:0:0::/:/bin/sh", "broken line")))
                .isEmpty();
    }
}
