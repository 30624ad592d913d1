package dev.sluice;

import static org.assertj.core.api.Assertions.assertThat;

import static java.util.Map.entry;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.regex.Pattern;

/// Tests that one package writes each table, or the engine's packages together. A table missing
/// from the map has no owner and fails the test.
class TableOwnershipTest {

    private static final Map<String, String> WRITER_BY_TABLE =
            Map.ofEntries(
                    entry("config_version", "account/workspace"),
                    entry("clock", "platform/db"),
                    entry("plan", "account/plan"),
                    entry("configuration_use", "account/plan"),
                    entry("workspace", "account/workspace"),
                    entry("member", "account/workspace"),
                    entry("account", "account/access"),
                    entry("api_key", "account/access"),
                    entry("session", "account/access"),
                    entry("known_network", "account/access"),
                    entry("invite", "account/workspace"),
                    entry("password_reset", "account/people"),
                    entry("sealing_canary", "account/access"),
                    entry("api_use", "account/access"),
                    entry("session_use", "account/access"),
                    entry("source", "gateway/source"),
                    entry("retired_token", "gateway/source"),
                    entry("destination", "gateway/destination"),
                    entry("destination_revision", "gateway/destination"),
                    entry("replaced_destination", "gateway/destination"),
                    entry("replaced_connection", "gateway/connection"),
                    entry("replaced_source", "gateway/source"),
                    entry("connection", "gateway/connection"),
                    entry("alert_config", "gateway/alertconfig"),
                    entry("mailbox_confirmation", "gateway/alertconfig"),
                    entry("alert_watch", "features/alerts"),
                    entry("alert_incident", "features/alerts"),
                    entry("alert_news", "features/alerts"),
                    entry("alert_message", "features/alerts"),
                    entry("alert_use", "features/alerts"),
                    entry("event", "engine"),
                    entry("delivery", "engine"),
                    entry("attempt", "engine"),
                    entry("delivery_work", "engine"),
                    entry("lane", "engine"),
                    entry("circuit", "engine/settle"),
                    entry("node", "engine"),
                    entry("quota", "engine/accept"),
                    entry("ingest_use", "engine/accept"),
                    entry("ledger", "engine/ledger"),
                    entry("commit_log", "engine/ledger"),
                    entry("rollup_hour", "engine/ledger"),
                    entry("rollup_day", "engine/ledger"),
                    entry("total", "engine/ledger"),
                    entry("retention", "features/retention"),
                    entry("retention_notice", "features/retention"),
                    entry("replay_job", "features/recovery"),
                    entry("dismissal", "features/recovery"),
                    entry("audit_log", "account/changes"),
                    entry("idempotency_key", "account/idempotency"),
                    entry("open_stream", "features/streams"),
                    entry("audit", "features/audit"));

    /// The look-behinds exclude `for update of connection` and `on conflict … do update set`.
    private static final Pattern WRITE_STATEMENT =
            Pattern.compile(
                    "\\b(?:insert into|delete from|(?<!for )(?<!do )update|truncate(?:"
                            + " table)?|merge into|copy)\\s+(\\w+)",
                    Pattern.CASE_INSENSITIVE);

    private static final Pattern DDL_STATEMENT =
            Pattern.compile("\\b(?:create|alter|drop)\\s+(?:table|index|sequence)\\b");

    @Test
    void each_table_is_written_by_its_room_alone() {
        var strays = new TreeSet<String>();
        for (var literal : SourceCode.stringLiterals()) {
            for (String table : writtenBy(literal.text())) {
                if (!isWriter(literal.directory(), table)) {
                    strays.add(literal.directory() + " writes " + table + ": " + literal.text());
                }
            }
        }
        assertThat(strays).isEmpty();
    }

    /// Whether the package writes the table. A whole floor may be the writer.
    private static boolean isWriter(String room, String table) {
        var writer = WRITER_BY_TABLE.get(table);
        return room.equals(writer) || room.startsWith(writer + "/");
    }

    @ParameterizedTest
    @CsvSource({
        "engine/commit,     delivery_work, true",
        "engine/lanes,      delivery_work, true",
        "features/recovery, delivery_work, false",
        "features/recovery, event,         false",
        "features/recovery, dismissal,     true",
        "engine/lanes,      circuit,       false",
    })
    void no_feature_writes_a_table_of_the_engine(String room, String table, boolean isWriter) {
        assertThat(isWriter(room, table)).isEqualTo(isWriter);
    }

    /// The statements of these classes name the table only at run time.
    @ParameterizedTest
    @ValueSource(strings = {"SingletonLeaseStore", "ReplacedRowStore"})
    void a_store_for_several_tables_is_made_by_the_room_of_its_table(String store) {
        var tables = SourceCode.arguments(Pattern.compile("new " + store + "\\(\\s*\"(\\w+)\""));

        assertThat(tables)
                .isNotEmpty()
                .allSatisfy(table ->
                        assertThat(WRITER_BY_TABLE).containsEntry(table.text(), table.directory()));
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
        return WRITE_STATEMENT
                .matcher(sql.replaceAll("\\s+", " "))
                .results()
                .map(match -> match.group(1))
                .toList();
    }

    @Test
    void every_table_of_the_schema_has_an_owner() {
        var tables = new TreeSet<String>();
        Pattern.compile("create (?:unlogged )?table (\\w+)")
                .matcher(SourceCode.migrations())
                .results()
                .forEach(match -> tables.add(match.group(1)));
        Pattern.compile("drop table (\\w+)")
                .matcher(SourceCode.migrations())
                .results()
                .forEach(match -> tables.remove(match.group(1)));

        assertThat(WRITER_BY_TABLE.keySet()).containsExactlyInAnyOrderElementsOf(tables);
    }

    @Test
    void only_the_store_makes_tables_while_the_server_runs() {
        assertThat(SourceCode.stringLiterals())
                .filteredOn(literal -> DDL_STATEMENT.matcher(literal.text()).find())
                .isNotEmpty()
                .allMatch(literal -> literal.file().equals("PartitionStore.java"));
    }
}
