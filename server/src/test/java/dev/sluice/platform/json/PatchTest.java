package dev.sluice.platform.json;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.util.Optional;

class PatchTest {

    private final Patch<String> keep = new Patch.KeepValue<>();
    private final Patch<String> clear = new Patch.ClearValue<>();
    private final Patch<String> set = new Patch.SetValue<>("new");

    @Test
    void a_patch_goes_over_what_there_is() {
        assertThat(keep.applyTo("old", "default")).isEqualTo("old");
        assertThat(clear.applyTo("old", "default")).isEqualTo("default");
        assertThat(set.applyTo("old", "default")).isEqualTo("new");
    }

    @Test
    void a_patch_goes_over_what_may_be_absent() {
        assertThat(keep.applyTo(Optional.of("old"))).contains("old");
        assertThat(keep.applyTo(Optional.empty())).isEmpty();
        assertThat(clear.applyTo(Optional.of("old"))).isEmpty();
        assertThat(set.applyTo(Optional.of("old"))).contains("new");
    }

    @Test
    void something_new_takes_the_fallback_when_left_out_or_null() {
        assertThat(keep.orElse("fallback")).isEqualTo("fallback");
        assertThat(clear.orElse("fallback")).isEqualTo("fallback");
        assertThat(set.orElse("fallback")).isEqualTo("new");
        assertThat(keep.toOptional()).isEmpty();
        assertThat(set.toOptional()).contains("new");
    }

    @Test
    void only_a_value_is_mapped() {
        assertThat(keep.map(String::length)).isEqualTo(new Patch.KeepValue<Integer>());
        assertThat(clear.map(String::length)).isEqualTo(new Patch.ClearValue<Integer>());
        assertThat(set.map(String::length)).isEqualTo(new Patch.SetValue<>(3));
    }
}
