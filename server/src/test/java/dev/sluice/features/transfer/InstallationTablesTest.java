package dev.sluice.features.transfer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.platform.db.Db;
import dev.sluice.testkit.TestPostgres;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/// Tests that each table of the schema is decided on: whether it travels in a data file, and what
/// in it is secret.
class InstallationTablesTest {

    /// The columns of bytes that are no sealed secrets: payloads and hashes.
    private static final Set<String> PLAIN_BYTES =
            Set.of(
                    "event.headers",
                    "event.body",
                    "delivery.response_body",
                    "attempt.response_body",
                    "api_key.hash",
                    "retired_token.token_hash",
                    "mailbox_confirmation.token_hash",
                    "invite.token_hash");

    @AutoClose private final Db db = TestPostgres.open(TestPostgres.newDatabase());

    @Test
    void each_table_travels_or_stays_for_a_reason() {
        var decided =
                InstallationTables.EXPORTED.stream()
                        .map(ExportedTable::name)
                        .collect(Collectors.toCollection(TreeSet::new));
        decided.addAll(InstallationTables.LEFT_OUT.keySet());

        assertThat(decided)
                .hasSize(InstallationTables.EXPORTED.size() + InstallationTables.LEFT_OUT.size())
                .isEqualTo(new TreeSet<>(db.call(TransferQueries::columns).keySet()));
    }

    @Test
    void each_sequence_of_the_schema_has_a_limit() {
        var sequences =
                db.call(tx ->
                        tx.query(
                                "select sequencename from pg_sequences where schemaname ="
                                        + " current_schema()",
                                row -> row.text("sequencename")));

        assertThat(InstallationTables.SEQUENCES.keySet())
                .containsExactlyInAnyOrderElementsOf(sequences);
    }

    @Test
    void each_column_of_bytes_is_sealed_or_no_secret() {
        var sealed = new TreeSet<>(PLAIN_BYTES);
        InstallationTables.EXPORTED.forEach(table ->
                table.sealed().keySet().forEach(column -> sealed.add(table.name() + "." + column)));

        List<String> columns =
                db.call(tx ->
                        tx.query(
                                """
                                select table_name || '.' || column_name as name
                                  from information_schema.columns
                                 where table_schema = current_schema() and data_type = 'bytea'
                                   and table_name !~ '_[0-9]{8}$'
                                   and table_name <> all (array['session', 'password_reset', 'sealing_canary', 'idempotency_key'])
                                """,
                                row -> row.text("name")));
        assertThat(columns).containsExactlyInAnyOrderElementsOf(sealed);
    }

    @Test
    void each_column_that_is_replaced_exists() {
        var columns = db.call(TransferQueries::columns);

        for (var table : InstallationTables.EXPORTED) {
            assertThat(columns.get(table.name()))
                    .as(table.name())
                    .containsAll(table.expressions().keySet())
                    .containsAll(table.sealed().keySet());
        }
    }

    @Test
    void a_new_database_has_rows_only_where_it_is_said() {
        var columns = db.call(TransferQueries::columns);

        assertThat(
                        columns.keySet().stream()
                                .filter(table -> db.call(tx -> TransferQueries.hasRows(tx, table))))
                .containsExactlyInAnyOrderElementsOf(InstallationTables.SEEDED);
        assertThat(InstallationTables.EXPORTED)
                .allSatisfy(table ->
                        assertThat(table.isSeeded())
                                .as(table.name())
                                .isEqualTo(InstallationTables.SEEDED.contains(table.name())));
    }

    @Test
    void foreign_keys_hold_in_this_order() {
        var order = InstallationTables.EXPORTED.stream().map(ExportedTable::name).toList();

        db.call(tx ->
                        tx.query(
                                """
                                select conrelid::regclass::text as child, confrelid::regclass::text as parent
                                  from pg_constraint
                                 where contype = 'f' and connamespace = current_schema()::regnamespace
                                   and conrelid::regclass::text <> all (array['session', 'password_reset'])
                                """,
                                row -> Map.entry(row.text("child"), row.text("parent"))))
                .forEach(key ->
                        assertThat(order.indexOf(key.getValue()))
                                .as(key.toString())
                                .isBetween(0, order.indexOf(key.getKey()) - 1));
    }
}
