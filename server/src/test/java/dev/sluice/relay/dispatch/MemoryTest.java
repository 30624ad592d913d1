package dev.sluice.relay.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.relay.dispatch.Memory.Kind;
import dev.sluice.relay.dispatch.Memory.Share;
import dev.sluice.relay.dispatch.Memory.Tenant;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;

class MemoryTest {

    private static final int ONE = 1;

    private final Memory memory = new Memory(1_000);
    private final Tenant tenant = new Tenant();
    private final Share share = new Share(tenant, Kind.FRESH);

    private int takeAll(Share of) {
        int taken = 0;
        while (memory.take(of, ONE)) {
            taken++;
        }
        return taken;
    }

    @Test
    void the_fresh_deliveries_of_a_destination_alone_may_have_a_fifth() {
        assertThat(takeAll(share)).isEqualTo(200);
    }

    @Test
    void a_workspace_alone_may_have_half_however_many_destinations_it_has() {
        int taken = 0;
        for (int i = 0; i < 200; i++) {
            taken += takeAll(new Share(tenant, Kind.FRESH));
        }
        assertThat(taken).isEqualTo(500);
    }

    @Test
    void however_many_workspaces_want_all_there_is_something_is_left_for_the_next() {
        for (int i = 0; i < 20; i++) {
            takeAll(new Share(new Tenant(), Kind.FRESH));
        }

        assertThat(memory.take(new Share(new Tenant(), Kind.FRESH), ONE)).isTrue();
    }

    @Test
    void who_has_nothing_yet_only_needs_it_to_fit() {
        assertThat(memory.take(share, 1_000)).isTrue();
        assertThat(memory.take(new Share(new Tenant(), Kind.FRESH), ONE)).isFalse();

        memory.give(share, 1_000);
        assertThat(memory.take(new Share(new Tenant(), Kind.FRESH), 1_001)).isFalse();
    }

    @Test
    void resends_leave_room_for_live_deliveries_of_the_same_destination() {
        assertThat(takeAll(new Share(tenant, Kind.RESENT))).isEqualTo(58);

        assertThat(takeAll(share)).isEqualTo(188);
    }

    @Test
    void fresh_deliveries_leave_room_for_what_waited_and_for_resends() {
        takeAll(share);

        assertThat(takeAll(new Share(tenant, Kind.WAITED))).isEqualTo(88);
        assertThat(takeAll(new Share(tenant, Kind.RESENT))).isEqualTo(41);
    }

    @Test
    void what_is_given_back_can_be_taken_again() {
        var takers =
                new ArrayList<>(
                        List.of(
                                share,
                                new Share(tenant, Kind.FRESH),
                                new Share(new Tenant(), Kind.FRESH)));
        for (int round = 0; round < 3; round++) {
            for (var taker : takers) {
                int taken = takeAll(taker);
                assertThat(taken).isEqualTo(200);
                memory.give(taker, taken);
            }
        }
    }
}
