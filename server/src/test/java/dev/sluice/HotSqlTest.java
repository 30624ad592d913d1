package dev.sluice;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.util.HashSet;
import java.util.Map;
import java.util.TreeSet;
import java.util.regex.Pattern;

/// Hot tables can be distributed by source one day, so each statement on them says which source it
/// is about. Those that look over all sources are few, rare, and listed here.
class HotSqlTest {

    private static final Pattern HOT =
            Pattern.compile(
                    "\\b(?:from|into|update|join|copy)\\s+(?:event|delivery|attempt|delivery_work|ledger)\\b");

    /// How a statement that names no source begins, and why it may.
    private static final Map<String, String> EXCEPTIONS =
            Map.of(
                    "select id, source_id, connection_id, trigger, attempts, created_at from"
                            + " delivery_work where id < ? order",
                    "retention: what is left of days that are to go, once an hour",
                    "select distinct owner from delivery_work",
                    "orphan look: whose rows there are, once a minute",
                    "with folded as ( delete from ledger",
                    "fold: once a second, moves everything there is",
                    "with recursive step as ( (select connection_id, trigger, next_at, source_id",
                    "sweep: steps over all lanes, every ten seconds",
                    "update delivery_work set owner = null, next_at = ? where owner = ?",
                    "takeover: all that a dead node had",
                    "select id from delivery_work where owner = ? and id < ?",
                    "leak look: all that this node has, once a minute",
                    "update delivery_work set owner = null, next_at = ? where id = any (?) and"
                            + " owner = ?",
                    "leak look: what it found, which should be nothing");

    private static final Pattern PREDICATE =
            Pattern.compile("\\bsource_id = (?:any \\(\\?\\)|\\?)");
    private static final Pattern INSERT =
            Pattern.compile("^(?:copy|insert into) \\w+ \\([^)]*\\bsource_id\\b");

    @Test
    void each_hot_statement_names_its_source() {
        var strays = new TreeSet<String>();
        var excepted = new HashSet<String>();
        for (var statement : Sources.statements()) {
            String sql = statement.text().replaceAll("\\s+", " ");
            if (!statement.room().equals("relay/store") || !HOT.matcher(sql).find()) {
                continue;
            }
            var exception = EXCEPTIONS.keySet().stream().filter(sql::startsWith).findFirst();
            exception.ifPresent(excepted::add);
            boolean isPlaced = PREDICATE.matcher(sql).find() || INSERT.matcher(sql).find();
            if (!isPlaced && exception.isEmpty()) {
                strays.add(statement.file() + ": " + sql);
            }
        }
        assertThat(strays).isEmpty();
        assertThat(excepted).as("exceptions still needed").isEqualTo(EXCEPTIONS.keySet());
    }

    @Test
    void hot_statements_read_no_clock_and_skip_no_locks() {
        assertThat(Sources.statements())
                .filteredOn(statement -> statement.room().equals("relay/store"))
                .filteredOn(statement -> HOT.matcher(statement.text()).find())
                .noneMatch(statement ->
                        statement
                                .text()
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
                        .matcher(Sources.migrations())
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
