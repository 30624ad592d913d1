package dev.sluice;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;

/// Tests that each statement on a hot table names the source it concerns, so that the tables can be
/// distributed by source one day. The few, rare statements over all sources are listed here.
class HotSqlTest {

    private static final Pattern HOT_TABLE =
            Pattern.compile(
                    "\\b(?:from|into|update|join|copy)\\s+(?:event|delivery|attempt|delivery_work|ledger)\\b");

    /// How each statement without a source begins, and the reason why it may omit the source.
    private static final Map<String, String> ALLOWED_WITHOUT_SOURCE =
            Map.of(
                    "select id, source_id, connection_id, trigger, attempts, created_at from"
                            + " delivery_work where id < ? order",
                    "retention: what is left of days that are to go, once an hour",
                    "with recursive step as ( (select owner from delivery_work",
                    "takeover: steps over the nodes that own work, every three seconds",
                    "with folded as ( delete from ledger",
                    "fold: once a second, moves everything there is",
                    "select batch, source_id from ledger order by batch limit",
                    "fold: finds a batch that cannot be folded, after a failure only",
                    "with recursive step as ( (select connection_id, trigger, next_at, source_id",
                    "sweep: steps over all lanes, every ten seconds",
                    "delete from lane where connection_id > ?",
                    "retention: looks by the index at each lane that sleeps for ever, once an hour",
                    "update delivery_work set owner = null, next_at = ? where ctid = any"
                            + " (array(select ctid from delivery_work where owner = ?",
                    "takeover: what a dead node had",
                    "select id from delivery_work where owner = ? and id < ?",
                    "leak look: all that this node has, once a minute",
                    "update delivery_work set owner = null, next_at = ? where id = any (?) and"
                            + " owner is not distinct from ?",
                    "leak look: what it found, which should be nothing",
                    "with connected as materialized ( select id, source_id, enabled from",
                    "probe: looks by the index at each lane of one destination, once a cooldown");

    private static final Set<String> HOT_ROOMS =
            Set.of("engine/commit", "engine/lanes", "engine/node", "engine/ledger");

    private static final Pattern SOURCE_PREDICATE =
            Pattern.compile("\\bsource_id = (?:any \\(\\?\\)|\\?)");
    private static final Pattern INSERT_WITH_SOURCE =
            Pattern.compile("(?:^|\\)\\) )(?:copy|insert into) \\w+ \\([^)]*\\bsource_id\\b");

    private static boolean isHotRoom(SourceCode.StringLiteral literal) {
        return HOT_ROOMS.contains(literal.directory());
    }

    @Test
    void each_hot_statement_names_its_source() {
        var strays = new TreeSet<String>();
        var excepted = new HashSet<String>();
        for (var literal : SourceCode.stringLiterals()) {
            String sql = literal.text().replaceAll("\\s+", " ");
            if (!isHotRoom(literal) || !HOT_TABLE.matcher(sql).find()) {
                continue;
            }
            var exception =
                    ALLOWED_WITHOUT_SOURCE.keySet().stream().filter(sql::startsWith).findFirst();
            exception.ifPresent(excepted::add);
            boolean isPlaced =
                    SOURCE_PREDICATE.matcher(sql).find() || INSERT_WITH_SOURCE.matcher(sql).find();
            if (!isPlaced && exception.isEmpty()) {
                strays.add(literal.file() + ": " + sql);
            }
        }
        assertThat(strays).isEmpty();
        assertThat(excepted)
                .as("exceptions still needed")
                .isEqualTo(ALLOWED_WITHOUT_SOURCE.keySet());
    }

    @Test
    void hot_statements_read_no_clock_and_skip_no_locks() {
        assertThat(SourceCode.stringLiterals())
                .filteredOn(HotSqlTest::isHotRoom)
                .filteredOn(literal -> HOT_TABLE.matcher(literal.text()).find())
                .noneMatch(literal ->
                        literal.text()
                                .matches(
                                        "(?s).*\\b(?:now\\(\\)|clock_timestamp|skip"
                                                + " locked|random\\(\\)).*"));
    }

    @Test
    void every_hot_table_has_the_source_in_its_key_and_refers_to_nothing() {
        var tables =
                Pattern.compile(
                                "create table (event|delivery|attempt|delivery_work|ledger)"
                                        + " \\((.*?)\\n\\)",
                                Pattern.DOTALL)
                        .matcher(SourceCode.migrations())
                        .results()
                        .toList();

        assertThat(tables).hasSize(5);
        for (var table : tables) {
            assertThat(table.group(2))
                    .as(table.group(1))
                    .containsPattern("primary key \\([^)]*source_id[^)]*\\)")
                    .doesNotContain("references");
        }
    }
}
