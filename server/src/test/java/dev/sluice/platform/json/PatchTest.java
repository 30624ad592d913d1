package dev.sluice.platform.json;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.util.Optional;

class PatchTest {

    private final Patch<String> keep = new Patch.Keep<>();
    private final Patch<String> clear = new Patch.Clear<>();
    private final Patch<String> set = new Patch.Set<>("new");

    @Test
    void a_patch_goes_over_what_there_is() {
        assertThat(keep.over("old", "default")).isEqualTo("old");
        assertThat(clear.over("old", "default")).isEqualTo("default");
        assertThat(set.over("old", "default")).isEqualTo("new");
    }

    @Test
    void a_patch_goes_over_what_may_be_absent() {
        assertThat(keep.over(Optional.of("old"))).contains("old");
        assertThat(keep.over(Optional.empty())).isEmpty();
        assertThat(clear.over(Optional.of("old"))).isEmpty();
        assertThat(set.over(Optional.of("old"))).contains("new");
    }

    @Test
    void something_new_takes_the_fallback_when_left_out_or_null() {
        assertThat(keep.or("fallback")).isEqualTo("fallback");
        assertThat(clear.or("fallback")).isEqualTo("fallback");
        assertThat(set.or("fallback")).isEqualTo("new");
        assertThat(keep.toOptional()).isEmpty();
        assertThat(set.toOptional()).contains("new");
    }

    @Test
    void only_a_value_is_mapped() {
        assertThat(keep.map(String::length)).isEqualTo(new Patch.Keep<Integer>());
        assertThat(clear.map(String::length)).isEqualTo(new Patch.Clear<Integer>());
        assertThat(set.map(String::length)).isEqualTo(new Patch.Set<>(3));
    }
}
