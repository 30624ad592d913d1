package dev.sluice.platform.db;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sluice.testkit.TestPostgres;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/// Writes values to PostgreSQL, by COPY and by both kinds of `insert`, and compares the text that
/// it returns for them.
@ParameterizedClass
@EnumSource
class NewRowsTest {

    enum RowsForm {
        COPY,
        INSERT_OF_VALUES,
        INSERT_OF_ARRAYS
    }

    private final RowsForm form;

    NewRowsTest(RowsForm form) {
        this.form = form;
    }

    private static final UUID ID = UUID.fromString("0190a5c4-0000-7000-8000-abcdef012fff");
    private static final UUID MAX_UUID = new UUID(-1, -1);

    private static final Database DATABASE = TestPostgres.newDatabase();

    private static Db db;

    @BeforeAll
    static void open() {
        db = TestPostgres.open(DATABASE);
    }

    @AfterAll
    static void close() {
        db.close();
    }

    private NewRows row() {
        return rows().row(1);
    }

    private NewRows rows() {
        return switch (form) {
            case COPY -> new CopyRows();
            case INSERT_OF_VALUES -> new InsertRows();
            case INSERT_OF_ARRAYS -> new ArrayRows();
        };
    }

    /// Writes the rows into a column of this type. Returns the values as PostgreSQL prints them,
    /// with `null` for null.
    private static List<String> copied(String type, NewRows rows) {
        return db.call(tx -> {
            tx.update("set local timezone = 'UTC'");
            tx.update("set local bytea_output = 'hex'");
            tx.update("create temporary table copied (value " + type + ") on commit drop");
            tx.insert(List.of(), List.of(new Tx.Insertion("copied (value)", rows)));
            return tx.query(
                    "select coalesce(value::text, 'null') as value from copied",
                    row -> row.text("value"));
        });
    }

    @Test
    void numbers_arrive_at_the_ends_of_their_range() {
        assertThat(copied("smallint", row().int2(-32768).row(1).int2(32767).row(1).int2(0)))
                .containsExactly("-32768", "32767", "0");
        assertThat(copied("integer", row().int4(Integer.MIN_VALUE).row(1).int4(Integer.MAX_VALUE)))
                .containsExactly("-2147483648", "2147483647");
        assertThat(copied("bigint", row().int8(Long.MIN_VALUE).row(1).int8(Long.MAX_VALUE)))
                .containsExactly("-9223372036854775808", "9223372036854775807");
    }

    @Test
    void ids_arrive_whole() {
        assertThat(copied("uuid", row().uuid(ID).row(1).uuid(MAX_UUID)))
                .containsExactly(
                        "0190a5c4-0000-7000-8000-abcdef012fff",
                        "ffffffff-ffff-ffff-ffff-ffffffffffff");
    }

    @Test
    void text_arrives_in_any_script() {
        assertThat(
                        copied(
                                "text",
                                row().text("")
                                        .row(1)
                                        .text("İğne ß 漢字 🔑\t\\N\n'")
                                        .row(1)
                                        .text("\\.")))
                .containsExactly("", "İğne ß 漢字 🔑\t\\N\n'", "\\.");
        assertThat(copied("text", row().text("NULL").row(1).text("{a,\"b\"}").row(1).text(" ")))
                .containsExactly("NULL", "{a,\"b\"}", " ");
        assertThat(copied("text", row().text(Optional.of("x")).row(1).text(Optional.empty())))
                .containsExactly("x", "null");
    }

    @Test
    void bytes_arrive_as_they_are() {
        assertThat(copied("bytea", row().bytes(new byte[0]).row(1).bytes(new byte[] {0, -1, 10})))
                .containsExactly("\\x", "\\x00ff0a");
    }

    @Test
    void a_row_with_too_few_values_is_never_written() {
        assertThatExceptionOfType(RuntimeException.class)
                .isThrownBy(() ->
                        db.run(tx -> {
                            tx.update(
                                    "create temporary table pairs (a integer, b text) on commit"
                                            + " drop");
                            var rows = rows().row(2).int4(1).text("one").row(2).int4(2);
                            tx.insert(List.of(), List.of(new Tx.Insertion("pairs (a, b)", rows)));
                        }));
    }

    @Test
    void text_with_a_zero_byte_is_a_bad_row() {
        assertThatExceptionOfType(DbException.class)
                .isThrownBy(() -> copied("text", row().text("a\0b")))
                .satisfies(e -> assertThat(e.failure()).isEqualTo(DbFailure.BAD_ROW));
    }

    @Test
    void a_null_beside_values_is_null() {
        assertThat(
                        copied(
                                "bytea",
                                row().nullValue(NewRows.ColumnType.BYTES)
                                        .row(1)
                                        .bytes(new byte[] {7})
                                        .row(1)
                                        .nullValue(NewRows.ColumnType.BYTES)))
                .containsExactly("null", "\\x07", "null");
        assertThat(
                        copied(
                                "uuid[]",
                                row().uuids(List.of(ID))
                                        .row(1)
                                        .nullValue(NewRows.ColumnType.UUIDS)
                                        .row(1)
                                        .uuids(List.of(MAX_UUID, ID))))
                .containsExactly("{" + ID + "}", "null", "{" + MAX_UUID + "," + ID + "}");
        assertThat(copied("boolean", row().bool(true).row(1).bool(false)))
                .containsExactly("true", "false");
    }

    @Test
    void nothing_is_null() {
        assertThat(copied("uuid", row().nullValue(NewRows.ColumnType.UUID)))
                .containsExactly("null");
    }

    @Test
    void instants_arrive_to_the_microsecond_on_both_sides_of_2000() {
        var rows = rows();
        for (String text :
                List.of(
                        "2026-03-01T12:00:00.123456789Z",
                        "2000-01-01T00:00:00Z",
                        "1999-12-31T23:59:59.999999Z",
                        "1970-01-01T00:00:00Z",
                        "1969-12-31T23:59:59.000001Z",
                        "0001-01-01T00:00:00Z",
                        "9999-12-31T23:59:59Z")) {
            rows.row(1).instant(Instant.parse(text));
        }

        assertThat(copied("timestamptz", rows))
                .containsExactly(
                        "2026-03-01 12:00:00.123456+00",
                        "2000-01-01 00:00:00+00",
                        "1999-12-31 23:59:59.999999+00",
                        "1970-01-01 00:00:00+00",
                        "1969-12-31 23:59:59.000001+00",
                        "0001-01-01 00:00:00+00",
                        "9999-12-31 23:59:59+00");
    }

    @Test
    void a_list_arrives_as_an_array() {
        assertThat(copied("uuid[]", row().uuids(List.of(ID, MAX_UUID))))
                .containsExactly("{" + ID + "," + MAX_UUID + "}");
    }

    @Test
    void an_empty_list_arrives_as_an_empty_array_and_not_as_null() {
        assertThat(copied("uuid[]", row().uuids(List.of()))).containsExactly("{}");
    }

    @Test
    void rows_beyond_the_first_buffer_arrive_too() {
        var rows = rows();
        var expected = new ArrayList<String>();
        for (int i = 0; i < 300; i++) {
            String text = "ü".repeat(i);
            rows.row(1).text(text);
            expected.add(text);
        }

        assertThat(copied("text", rows)).isEqualTo(expected);
    }

    @Test
    void no_rows_write_nothing() {
        assertThat(rows().isEmpty()).isTrue();
        assertThat(row().nullValue(NewRows.ColumnType.TEXT).isEmpty()).isFalse();
        assertThat(copied("text", rows())).isEmpty();
    }

    @Test
    void what_was_written_reads_back_as_it_was() {
        var at = Instant.parse("1969-07-20T20:17:40.5Z");
        db.run(tx -> {
            tx.update(
                    """
                    create temporary table mixed (
                      i int4, t text, at timestamptz, b bytea, us uuid[], none uuid[])
                    on commit drop
                    """);
            var values =
                    rows().row(6)
                            .int4(-5)
                            .text("ğ")
                            .instant(at)
                            .bytes("x".getBytes(UTF_8))
                            .uuids(List.of(ID))
                            .nullValue(NewRows.ColumnType.UUIDS);
            tx.insert(
                    List.of(), List.of(new Tx.Insertion("mixed (i, t, at, b, us, none)", values)));
            tx.single(
                    "select * from mixed",
                    row -> {
                        assertThat(row.integer("i")).isEqualTo(-5);
                        assertThat(row.text("t")).isEqualTo("ğ");
                        assertThat(row.instant("at")).isEqualTo(at);
                        assertThat(row.bytes("b")).isEqualTo("x".getBytes(UTF_8));
                        assertThat(row.uuids("us")).containsExactly(ID);
                        assertThat(row.uuids("none")).isEmpty();
                        assertThat(row.isNull("none")).isTrue();
                        return true;
                    });
        });
    }

    @Test
    void a_failed_write_leaves_the_connection_usable() {
        var wrong = row().nullValue(NewRows.ColumnType.INT8);
        try (var connection = new DedicatedConnection(DATABASE, "test")) {
            assertThatExceptionOfType(DbException.class)
                    .isThrownBy(() -> connection.call(tx -> write(tx, wrong)))
                    .matches(e -> !e.isConnectionLost());

            int one = connection.call(tx -> tx.single("select 1 as n", row -> row.integer("n")));
            assertThat(one).isEqualTo(1);
        }
    }

    @Test
    void statements_and_rows_of_several_tables_are_one_write() {
        db.run(tx -> {
            tx.update("create temporary table one (a text) on commit drop");
            tx.update("create temporary table two (b integer, c text) on commit drop");
            tx.insert(
                    List.of(new SqlStatement("insert into one values (?)", List.of("first"))),
                    List.of(
                            new Tx.Insertion("one (a)", row().text("second")),
                            new Tx.Insertion("two (b, c)", rows()),
                            new Tx.Insertion("two (c, b)", rows().row(2).text("?;").int4(1))));

            assertThat(tx.query("select a from one", row -> row.text("a")))
                    .containsExactly("first", "second");
            assertThat(tx.query("select c || b as c from two", row -> row.text("c")))
                    .containsExactly("?;1");
        });
    }

    @Test
    void a_failed_statement_undoes_those_before_it() {
        db.run(tx -> tx.update("create table undone (a integer)"));
        var good = new SqlStatement("insert into undone values (?)", List.of(1));
        var bad = new Tx.Insertion("undone (a)", row().text("x"));

        assertThatExceptionOfType(DbException.class)
                .isThrownBy(() -> db.run(tx -> tx.insert(List.of(good), List.of(bad))));

        db.run(tx ->
                assertThat(tx.query("select a from undone", row -> row.integer("a"))).isEmpty());
        db.run(tx -> tx.update("drop table undone"));
    }

    @Test
    void an_insert_is_one_transaction_and_leaves_the_connection_usable() {
        db.run(tx -> tx.update("create table trip (a integer)"));
        var good = new SqlStatement("insert into trip values (?)", List.of(1));
        var bad = new SqlStatement("insert into trip values (?)", List.of("x"));
        var rows = List.of(new Tx.Insertion("trip (a)", row().int4(2)));
        try (var connection = new DedicatedConnection(DATABASE, "test")) {
            assertThatExceptionOfType(DbException.class)
                    .isThrownBy(() -> connection.insert(List.of(good, bad), rows))
                    .matches(e -> !e.isConnectionLost());
            assertThat(connection.<List<Integer>>call(NewRowsTest::trips)).isEmpty();

            connection.insert(List.of(good, good), rows);

            assertThat(connection.<List<Integer>>call(NewRowsTest::trips)).containsExactly(1, 1, 2);
        }
        db.run(tx -> tx.update("drop table trip"));
    }

    @Test
    void the_last_insert_of_a_transaction_also_commits_it() {
        db.run(tx -> tx.update("create table trip (a integer)"));
        var first = new SqlStatement("insert into trip values (?)", List.of(2));
        var rows = List.of(new Tx.Insertion("trip (a)", row().int4(3)));
        try (var connection = new DedicatedConnection(DATABASE, "test")) {
            boolean isVisible =
                    connection.call(tx -> {
                        tx.update("insert into trip values (1)");
                        tx.insertLast(List.of(first), rows);
                        return !db.<List<Integer>>call(NewRowsTest::trips).isEmpty();
                    });

            assertThat(isVisible).as("before the driver commits").isEqualTo(form != RowsForm.COPY);
            assertThat(connection.<List<Integer>>call(NewRowsTest::trips)).containsExactly(1, 2, 3);
        }
        db.run(tx -> tx.update("drop table trip"));
    }

    @Test
    void a_last_insert_that_fails_undoes_everything_before_it() {
        db.run(tx -> tx.update("create table trip (a integer)"));
        var bad = List.of(new SqlStatement("insert into trip values (?)", List.of("x")));
        var rows = List.of(new Tx.Insertion("trip (a)", row().int4(2)));
        try (var connection = new DedicatedConnection(DATABASE, "test")) {
            assertThatExceptionOfType(DbException.class)
                    .isThrownBy(() ->
                            connection.call(tx -> {
                                tx.update("insert into trip values (1)");
                                tx.insertLast(bad, rows);
                                return true;
                            }))
                    .matches(e -> !e.isConnectionLost());

            assertThat(connection.<List<Integer>>call(NewRowsTest::trips)).isEmpty();
        }
        db.run(tx -> tx.update("drop table trip"));
    }

    private static List<Integer> trips(Tx tx) {
        return tx.query("select a from trip", row -> row.integer("a"));
    }

    @Test
    void every_type_may_be_null() {
        for (var type : NewRows.ColumnType.values()) {
            assertThat(copied(type.driverName(), row().nullValue(type))).containsExactly("null");
        }
    }

    private static boolean write(Tx tx, NewRows rows) {
        tx.insert(List.of(), List.of(new Tx.Insertion("node (epoch)", rows)));
        return true;
    }
}
