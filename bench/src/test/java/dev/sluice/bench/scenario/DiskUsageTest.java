package dev.sluice.bench.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.bench.scenario.DiskUsage.TableBytes;
import dev.sluice.bench.scenario.DiskUsage.TableName;

import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.Map;

class DiskUsageTest {

    private static final TableName EVENT = new TableName("sluice", "event");
    private static final TableName WORK = new TableName("sluice", "delivery_work");
    private static final TableName NEW = new TableName("sluice", "dictionary");
    private static final TableName BARE = new TableName("bare", "event");

    @Test
    void a_table_grows_by_what_it_had_not_before() {
        var before = new DiskUsage(Map.of(EVENT, bytes(100, 10), WORK, bytes(50, 5)), 1000);
        var after =
                new DiskUsage(
                        Map.of(
                                EVENT,
                                bytes(400, 30),
                                WORK,
                                bytes(40, 5),
                                NEW,
                                bytes(8, 2),
                                BARE,
                                bytes(7, 7)),
                        1500);

        var grown = after.minus(before);

        assertThat(grown.of("sluice", "event")).isEqualTo(bytes(300, 20));
        assertThat(grown.of("bare", "event")).isEqualTo(bytes(7, 7));
        assertThatThrownBy(() -> grown.of("sluice", "unknown")).hasMessageContaining("unknown");
        assertThat(grown.others("sluice", List.of("event"))).isEqualTo(bytes(-2, 2));
        assertThat(grown.fileBytes()).isEqualTo(500);
    }

    private static TableBytes bytes(long table, long indexes) {
        return new TableBytes(table, indexes);
    }
}
