package dev.sluice.engine.share;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.engine.share.PayloadMemory.MemoryShare;
import dev.sluice.engine.share.PayloadMemory.TrafficClass;
import dev.sluice.engine.share.PayloadMemory.WorkspaceMemory;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;

class PayloadMemoryTest {

    private static final int ONE_BYTE = 1;

    private final PayloadMemory memory = new PayloadMemory(1_000, ONE_BYTE);
    private final WorkspaceMemory workspace = new WorkspaceMemory();
    private final MemoryShare share = new MemoryShare(workspace, TrafficClass.FRESH);

    private int takeAll(MemoryShare of) {
        int taken = 0;
        while (memory.tryReserve(of, ONE_BYTE)) {
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
            taken += takeAll(new MemoryShare(workspace, TrafficClass.FRESH));
        }
        assertThat(taken).isEqualTo(500);
    }

    /// With thresholds by what is free alone, each takes half of what the one before left, and
    /// after ten there is nothing.
    @Test
    void twenty_workspaces_that_take_all_they_may_leave_a_twenty_first_part() {
        for (int i = 0; i < 20; i++) {
            var greedy = new WorkspaceMemory();
            for (int j = 0; j < 200; j++) {
                takeAll(new MemoryShare(greedy, TrafficClass.FRESH));
            }
        }
        assertThat(memory.reservedBytes()).isBetween(900L, 1_000L - 1_000 / 21);

        var next = new WorkspaceMemory();
        assertThat(takeAll(new MemoryShare(next, TrafficClass.FRESH))).isPositive();
    }

    @Test
    void a_workspace_is_counted_in_units() {
        var inUnits = new PayloadMemory(1_000, 100);
        assertThat(inUnits.tryReserve(share, 1)).isTrue();
        assertThat(inUnits.tryReserve(share, 99)).isTrue();
        assertThat(inUnits.tryReserve(new MemoryShare(workspace, TrafficClass.WAITING), 401))
                .as("six of ten units")
                .isFalse();
        assertThat(inUnits.tryReserve(new MemoryShare(workspace, TrafficClass.WAITING), 400))
                .isTrue();
    }

    @Test
    void who_has_nothing_yet_only_needs_it_to_fit() {
        assertThat(memory.tryReserve(share, 1_000)).isTrue();
        assertThat(
                        memory.tryReserve(
                                new MemoryShare(new WorkspaceMemory(), TrafficClass.FRESH),
                                ONE_BYTE))
                .isFalse();

        memory.release(share, 1_000);
        assertThat(
                        memory.tryReserve(
                                new MemoryShare(new WorkspaceMemory(), TrafficClass.FRESH), 1_001))
                .isFalse();
    }

    @Test
    void resends_leave_room_for_live_deliveries_of_the_same_destination() {
        assertThat(takeAll(new MemoryShare(workspace, TrafficClass.RESEND))).isEqualTo(58);

        assertThat(takeAll(share)).isEqualTo(188);
    }

    @Test
    void fresh_deliveries_leave_room_for_what_waited_and_for_resends() {
        takeAll(share);

        assertThat(takeAll(new MemoryShare(workspace, TrafficClass.WAITING))).isEqualTo(88);
        assertThat(takeAll(new MemoryShare(workspace, TrafficClass.RESEND))).isEqualTo(41);
    }

    @Test
    void what_is_given_back_can_be_taken_again() {
        var takers =
                new ArrayList<>(
                        List.of(
                                share,
                                new MemoryShare(workspace, TrafficClass.FRESH),
                                new MemoryShare(new WorkspaceMemory(), TrafficClass.FRESH)));
        for (int round = 0; round < 3; round++) {
            for (var taker : takers) {
                int taken = takeAll(taker);
                assertThat(taken).isEqualTo(200);
                memory.release(taker, taken);
            }
        }
    }
}
