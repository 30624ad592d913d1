package dev.sluice.engine.node;

import static dev.sluice.engine.node.NodeFixture.OTHER_HOME;
import static dev.sluice.engine.node.NodeFixture.THIS_HOME;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.engine.node.NodeFixture.NodeRow;
import dev.sluice.platform.db.Database;
import dev.sluice.testkit.TestPostgres;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.ArrayList;

/// A node's lease: joining, heartbeats, and what it may do meanwhile.
class NodeTest {

    private static final Database DATABASE = TestPostgres.newDatabase();

    @AutoClose private final NodeFixture fixture = new NodeFixture(DATABASE);

    @Test
    void each_start_has_an_epoch_of_its_own() {
        var one = fixture.join(THIS_HOME);
        var other = fixture.join(OTHER_HOME);

        assertThat(one.epoch()).isNotEqualTo(other.epoch());
        assertThat(one.mayStart()).isTrue();
        assertThat(other.mayStart()).isTrue();
        assertThat(fixture.nodes()).containsExactly(NodeRow.live(one), NodeRow.live(other));
    }

    @Test
    void a_heartbeat_prolongs_the_lease() {
        var node = fixture.join(THIS_HOME);
        fixture.endLease(node);

        fixture.heartbeat(node).run();

        long seconds =
                fixture.db.call(tx ->
                        tx.single(
                                "select extract(epoch from lease_until - now())::bigint as s from"
                                        + " node",
                                row -> row.number("s")));
        assertThat(seconds).isBetween(13L, 15L);
        assertThat(node.mayStart()).isTrue();
    }

    @Test
    void a_restart_in_the_same_home_declares_its_predecessor_dead_at_once() {
        var killed = fixture.join(THIS_HOME);

        var restarted = fixture.join(THIS_HOME);

        assertThat(fixture.nodes())
                .containsExactly(new NodeRow(killed.epoch(), "dead"), NodeRow.live(restarted));
    }

    @Test
    void a_home_is_compared_when_joining_and_never_again() {
        var earlier = fixture.join(THIS_HOME);
        var later = fixture.join(THIS_HOME);
        fixture.heartbeat(earlier).run(); // it was declared dead once, and lives under a new epoch
        var takeoverOfEarlier = fixture.takeover(earlier);
        var takeoverOfLater = fixture.takeover(later);

        for (int round = 0; round < 20; round++) {
            fixture.live(earlier, takeoverOfEarlier, Duration.ZERO);
            fixture.heartbeat(later).run();
            takeoverOfLater.run();
        }

        assertThat(fixture.nodes()).containsExactly(NodeRow.live(later), NodeRow.live(earlier));
    }

    @Test
    void a_node_whose_lease_had_run_out_is_declared_dead_by_the_next_to_join() {
        var dead = fixture.join(OTHER_HOME);
        fixture.endLease(dead);

        var node = fixture.join(THIS_HOME);

        assertThat(fixture.nodes())
                .containsExactly(new NodeRow(dead.epoch(), "dead"), NodeRow.live(node));
    }

    @Test
    void a_node_that_was_declared_dead_starts_nothing_until_it_lives_under_a_new_epoch() {
        var node = fixture.join(THIS_HOME);
        long before = node.epoch();
        record NodeView(long epoch, boolean mayStart) {}
        var seen = new ArrayList<NodeView>();
        var heartbeat =
                new Heartbeat(node, () -> seen.add(new NodeView(node.epoch(), node.mayStart())));
        fixture.endLease(node);
        var other = fixture.join(OTHER_HOME);

        heartbeat.run();

        assertThat(seen).containsExactly(new NodeView(before, false));
        assertThat(node.epoch()).isGreaterThan(other.epoch());
        assertThat(node.mayStart()).isTrue();
        assertThat(node.mayStart(before)).isFalse();
        assertThat(node.mayStart(node.epoch())).isTrue();
        assertThat(fixture.nodes()).contains(NodeRow.live(other), NodeRow.live(node));

        heartbeat.run();
        assertThat(seen).hasSize(1);
    }

    @Test
    void a_node_that_hears_nothing_of_the_database_starts_nothing_after_ten_seconds() {
        var node = fixture.join(THIS_HOME);
        fixture.pass(Duration.ofMillis(9_999));
        assertThat(node.mayStart()).isTrue();

        fixture.pass(Duration.ofMillis(1));
        assertThat(node.mayStart()).isFalse();
        assertThat(node.mayStart(node.epoch())).isFalse();

        fixture.heartbeat(node).run();
        assertThat(node.mayStart(node.epoch())).isTrue();
    }
}
