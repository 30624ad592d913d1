package dev.sluice;

import static dev.sluice.DataTransferRun.exporting;
import static dev.sluice.DataTransferRun.importing;
import static dev.sluice.DataTransferRun.settings;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.platform.datafile.DataFileHeader;
import dev.sluice.platform.datafile.DataFileReader;
import dev.sluice.platform.datafile.DataFileWriter;
import dev.sluice.platform.db.Database;
import dev.sluice.testkit.Nightly;
import dev.sluice.testkit.Receiver;
import dev.sluice.testkit.TestPostgres;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.Arrays;
import java.util.List;
import java.util.TreeSet;
import java.util.function.BiFunction;

/// Tests that history of years travels: more partitions than a transaction can lock.
class LongRetentionTransferTest {

    private static final int COPY_HEADER_BYTES = 19;
    private static final LocalDate FIRST_DAY = LocalDate.of(2021, 1, 1);

    @TempDir private static Path folder;

    private static byte[] exported;

    @BeforeAll
    static void export() throws IOException {
        try (var receiver = Receiver.start()) {
            var file = folder.resolve("short.sluice");
            var run =
                    exporting(
                            settings(FullInstallation.make(receiver).database()), file.toString());
            assertThat(run.status()).as(run.err()).isZero();
            exported = Files.readAllBytes(file);
        }
    }

    /// Returns the file with an event on each of so many further days.
    private static byte[] withDays(int days) throws IOException {
        return withDays(days, (_, rows) -> rows);
    }

    /// @param change changes the rows of a table, whose name it also gets
    private static byte[] withDays(int days, BiFunction<String, byte[], byte[]> change)
            throws IOException {
        var reader = DataFileReader.open(new ByteArrayInputStream(exported));
        var header = reader.header();
        var all = new TreeSet<>(header.days());
        var further = FIRST_DAY.datesUntil(FIRST_DAY.plusDays(days)).toList();
        all.addAll(further);
        var out = new ByteArrayOutputStream();
        var writer =
                new DataFileWriter(
                        out,
                        new DataFileHeader(
                                header.origin(),
                                header.passphrase(),
                                header.canary(),
                                List.copyOf(all),
                                header.sequences(),
                                header.tables()));
        for (var name = reader.nextTable(); name.isPresent(); name = reader.nextTable()) {
            byte[] rows = change.apply(name.get(), reader.rows().readAllBytes());
            long count = reader.rowCount();
            boolean isEvent = name.get().equals("event");
            writer.beginTable(name.get());
            writer.rows(
                    new ByteArrayInputStream(isEvent ? withRows(rows, further) : rows), _ -> {});
            writer.endTable(isEvent ? count + days : count);
        }
        writer.finish();
        return out.toByteArray();
    }

    /// Adds a copy of the first row for each day. The row's first column is its id.
    private static byte[] withRows(byte[] rows, List<LocalDate> days) throws IOException {
        byte[] first =
                Arrays.copyOfRange(rows, COPY_HEADER_BYTES, COPY_HEADER_BYTES + lengthOfRow(rows));
        var all = new ByteArrayOutputStream();
        all.write(rows, 0, rows.length - Short.BYTES);
        for (var day : days) {
            byte[] copy = first.clone();
            var bits = ByteBuffer.wrap(copy);
            long millis = day.atStartOfDay().toInstant(ZoneOffset.UTC).toEpochMilli();
            long rest = bits.getLong(Short.BYTES + Integer.BYTES) & 0xffff;
            bits.putLong(Short.BYTES + Integer.BYTES, millis << 16 | rest);
            all.write(copy);
        }
        all.write(rows, rows.length - Short.BYTES, Short.BYTES);
        return all.toByteArray();
    }

    private static int lengthOfRow(byte[] rows) {
        var row = ByteBuffer.wrap(rows, COPY_HEADER_BYTES, rows.length - COPY_HEADER_BYTES);
        int columns = row.getShort();
        for (int i = 0; i < columns; i++) {
            int length = row.getInt();
            row.position(row.position() + Math.max(0, length));
        }
        return row.position() - COPY_HEADER_BYTES;
    }

    private static DataTransferRun importStream(Database database, byte[] file) {
        return importing(
                settings(database),
                DataTransferRun.NO_TERMINAL,
                new ByteArrayInputStream(file),
                "-");
    }

    private static long sumOfEvents(Database database) {
        return number(
                database,
                "select sum(hashtextextended(event::text, 0)) % 1000000007 as n from event");
    }

    private static long events(Database database) {
        return number(database, "select count(*) as n from event");
    }

    private static long partitions(Database database) {
        return number(database, "select count(*) as n from pg_inherits");
    }

    private static long number(Database database, String sql) {
        try (var db = TestPostgres.open(database)) {
            return db.call(tx -> tx.single(sql, row -> row.number("n")));
        }
    }

    @Nightly
    @Test
    void five_years_are_imported() throws IOException {
        var database = TestPostgres.newDatabase();

        var run = importStream(database, withDays(1_830));

        assertThat(run.status()).as(run.err()).isZero();
        assertThat(
                        number(
                                database,
                                "select count(*) as n from pg_class where relname ~ '^event_2'"))
                .isGreaterThan(1_830);
        assertThat(number(database, "select count(*) as n from event_20210101, event_20251231"))
                .isOne();
    }

    @Nightly
    @Test
    void a_long_file_that_is_cut_leaves_nothing_and_the_whole_one_is_imported() throws IOException {
        var database = TestPostgres.newDatabase();
        byte[] file = withDays(250);

        var cut = importStream(database, Arrays.copyOf(file, file.length - 1));

        assertThat(cut.status()).as(cut.err()).isEqualTo(1);
        assertThat(cut.err()).contains("damaged").endsWith("Nothing was imported.\n");
        assertThat(events(database)).isZero();
        assertThat(partitions(database)).isZero();
        assertThat(importStream(database, file).status()).isZero();
        assertThat(events(database)).isEqualTo(253);
    }

    /// A killed import cannot remove what it has committed.
    @Test
    void what_a_killed_import_left_is_replaced_by_the_next() throws IOException {
        var database = TestPostgres.newDatabase();
        assertThat(importStream(database, withDays(150)).status()).isZero();
        try (var db = TestPostgres.open(database)) {
            db.run(tx ->
                    tx.query(
                                    """
                                    select string_agg(quote_ident(tablename), ', ') as names
                                      from pg_tables
                                     where schemaname = current_schema()
                                       and tablename !~ '^(event|delivery|attempt)(_[0-9]{8})?$'
                                       and tablename not in ('config_version', 'clock', 'audit', 'commit_log',
                                                             'alert_watch', 'retention', 'flyway_schema_history')
                                    """,
                                    row -> row.text("names"))
                            .forEach(names -> tx.update("truncate " + names)));
        }

        var run = importStream(database, exported);

        assertThat(run.status()).as(run.err()).isZero();
        assertThat(events(database)).isEqualTo(3);
    }

    @ParameterizedTest
    @ValueSource(longs = {Long.MAX_VALUE, Long.MAX_VALUE / 2 + 1, -1})
    void a_configuration_that_cannot_change_again_is_refused(long version) throws IOException {
        var database = TestPostgres.newDatabase();
        byte[] file =
                withDays(
                        0,
                        (table, rows) ->
                                table.equals("config_version") ? withLast(rows, version) : rows);

        var run = importStream(database, file);

        assertThat(run.status()).as(run.err()).isEqualTo(1);
        assertThat(run.err()).contains("no server could start");
        assertThat(importStream(database, exported).status()).isZero();
    }

    /// Replaces the number in the last column of the last row.
    private static byte[] withLast(byte[] rows, long number) {
        byte[] changed = rows.clone();
        ByteBuffer.wrap(changed).putLong(rows.length - Short.BYTES - Long.BYTES, number);
        return changed;
    }

    @Nightly
    @Test
    void what_was_imported_can_be_exported_again() throws IOException {
        var database = TestPostgres.newDatabase();
        assertThat(importStream(database, withDays(250)).status()).isZero();

        var run = exporting(settings(database), "-");

        assertThat(run.status()).as(run.err()).isZero();
        assertThat(run.err()).contains("event: 253 rows");
        var other = TestPostgres.newDatabase();
        assertThat(importStream(other, run.out().getBytes(StandardCharsets.ISO_8859_1)).status())
                .isZero();
        assertThat(sumOfEvents(other)).isEqualTo(sumOfEvents(database));
    }
}
