package dev.sluice;

import static org.assertj.core.api.Assertions.assertThat;

import static java.util.Map.entry;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.regex.Pattern;

/// Each table has one room that writes it. A table that is not in the map has no owner and fails.
class TableOwnershipTest {

    private static final Map<String, String> WRITER =
            Map.ofEntries(
                    entry("config_version", "account/workspace"),
                    entry("workspace", "account/workspace"),
                    entry("member", "account/workspace"),
                    entry("account", "account/access"),
                    entry("api_key", "account/access"),
                    entry("sealing_canary", "account/access"),
                    entry("api_use", "account/access"),
                    entry("source", "gateway/source"),
                    entry("destination", "gateway/destination"),
                    entry("destination_revision", "gateway/destination"),
                    entry("connection", "gateway/connection"),
                    entry("event", "relay/store"),
                    entry("delivery", "relay/store"),
                    entry("attempt", "relay/store"),
                    entry("delivery_work", "relay/store"),
                    entry("lane", "relay/store"),
                    entry("circuit", "relay/circuit"),
                    entry("node", "relay/store"),
                    entry("quota", "relay/ingest"),
                    entry("ingest_use", "relay/ingest"),
                    entry("ledger", "relay/store"),
                    entry("rollup_hour", "relay/store"),
                    entry("rollup_day", "relay/store"),
                    entry("total", "relay/store"),
                    entry("retention", "relay/store"),
                    entry("retention_notice", "relay/store"),
                    entry("replay_job", "relay/replay"),
                    entry("audit", "observe/audit"));

    /// The look-behinds keep out `for update of connection` and `on conflict … do update set`.
    private static final Pattern WRITE =
            Pattern.compile(
                    "\\b(?:insert into|delete from|(?<!for )(?<!do )update|truncate(?:"
                            + " table)?|merge into|copy)\\s+(\\w+)",
                    Pattern.CASE_INSENSITIVE);

    private static final Pattern STRUCTURE =
            Pattern.compile("\\b(?:create|alter|drop)\\s+(?:table|index|sequence)\\b");

    @Test
    void each_table_is_written_by_its_room_alone() {
        var strays = new TreeSet<String>();
        for (var statement : Sources.statements()) {
            for (String table : writtenBy(statement.text())) {
                if (!statement.room().equals(WRITER.get(table))) {
                    strays.add(statement.room() + " writes " + table + ": " + statement.text());
                }
            }
        }
        assertThat(strays).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    insert into lane (id) values (?)                          | lane
                    delete from ledger returning kinds                        | ledger
                    update source set name = ?                                | source
                    with due as (select 1) update lane set owner = ? from due | lane
                    copy event (id) from stdin (format binary)                | event
                    truncate total                                            | total
                    select id from source for update                          | ''
                    select id from source for update of connection            | ''
                    insert into total values (?) on conflict do update set n = 1 | total
                    """)
    void a_statement_is_known_by_what_it_writes(String sql, String table) {
        assertThat(writtenBy(sql)).isEqualTo(table.isEmpty() ? List.of() : List.of(table));
    }

    private static List<String> writtenBy(String sql) {
        return WRITE.matcher(sql.replaceAll("\\s+", " "))
                .results()
                .map(match -> match.group(1))
                .toList();
    }

    @Test
    void every_table_of_the_schema_has_an_owner() {
        var tables = new TreeSet<String>();
        Pattern.compile("create (?:unlogged )?table (\\w+)")
                .matcher(Sources.migrations())
                .results()
                .forEach(match -> tables.add(match.group(1)));

        assertThat(WRITER.keySet()).containsExactlyInAnyOrderElementsOf(tables);
    }

    @Test
    void only_the_store_makes_tables_while_the_server_runs() {
        assertThat(Sources.statements())
                .filteredOn(statement -> STRUCTURE.matcher(statement.text()).find())
                .isNotEmpty()
                .allMatch(statement -> statement.room().equals("relay/store"));
    }
}
