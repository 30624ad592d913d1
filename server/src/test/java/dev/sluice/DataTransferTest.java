package dev.sluice;

import static dev.sluice.DataTransferRun.exporting;
import static dev.sluice.DataTransferRun.importing;
import static dev.sluice.DataTransferRun.settings;
import static dev.sluice.DataTransferRun.typing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.features.audit.DatabaseAuditor;
import dev.sluice.platform.db.Database;
import dev.sluice.platform.db.Db;
import dev.sluice.platform.secret.Sha256;
import dev.sluice.testkit.Person;
import dev.sluice.testkit.Receiver;
import dev.sluice.testkit.RowRefusal;
import dev.sluice.testkit.SseClient;
import dev.sluice.testkit.TestPostgres;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

import java.io.ByteArrayInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.LocalDate;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// Tests `sluice export-data` and `sluice import-data`, from one external database to another.
class DataTransferTest {

    private static final String PASSPHRASE = "Straße nach Süden";
    private static final String OTHER_KEY = "ICEiIyQlJicoKSorLC0uLzAxMjM0NTY3ODk6Ozw9Pj8=";

    @TempDir private static Path folder;

    private static Receiver receiver;
    private static FullInstallation original;
    private static Path plain;
    private static Path sealed;
    private static Path passphraseFile;

    @BeforeAll
    static void export() throws IOException {
        receiver = Receiver.start();
        original = FullInstallation.make(receiver);
        plain = folder.resolve("plain.sluice");
        sealed = folder.resolve("sealed.sluice");
        passphraseFile = Files.writeString(folder.resolve("passphrase"), PASSPHRASE + "\n");
        assertDone(exporting(settings(original.database()), plain.toString()));
        assertDone(
                exporting(
                        settings(original.database()),
                        sealed.toString(),
                        "--passphrase-file",
                        passphraseFile.toString()));
    }

    @AfterAll
    static void stop() throws IOException {
        receiver.close();
    }

    private static void assertDone(DataTransferRun run) {
        assertThat(run.status()).as(run.err()).isZero();
    }

    /// Creates a database in which nobody has made a schema.
    private static Database bareDatabase() {
        var database = TestPostgres.newDatabase();
        try (var db = TestPostgres.open(database)) {
            db.run(tx -> tx.update("drop schema sluice cascade"));
        }
        return database;
    }

    private static Map<String, String> withKey(Database database, String masterKey) {
        return Map.of(
                "SLUICE_DATABASE_URL", TestPostgres.url(database), "SLUICE_MASTER_KEY", masterKey);
    }

    @Test
    void every_row_arrives_as_it_was_whatever_the_databases_time_zone() {
        var database = bareDatabase();
        try (var db = TestPostgres.open(database)) {
            db.run(tx ->
                    tx.update(
                            "alter database "
                                    + database.name()
                                    + " set timezone to 'Asia/Kathmandu'"));
        }

        var run = importing(settings(database), plain.toString());

        assertDone(run);
        assertThat(run.err())
                .contains("  event: 3 rows")
                .contains("Make sure that the server it comes from has stopped");
        var before = contents(original.database(), "");
        assertThat(before).as("each table has rows").doesNotContainValue("0 d41d8cd9");
        assertThat(contents(database, "")).isEqualTo(before);
    }

    @Test
    void under_another_master_key_all_but_the_sealed_values_arrive_as_it_was() {
        var database = TestPostgres.newDatabase();

        var run =
                importing(
                        withKey(database, OTHER_KEY),
                        sealed.toString(),
                        "--passphrase-file",
                        passphraseFile.toString());

        assertDone(run);
        String columns = "verification|auth|sealed_headers|config";
        assertThat(contents(database, columns)).isEqualTo(contents(original.database(), columns));
        assertThat(contents(database, "")).isNotEqualTo(contents(original.database(), ""));
    }

    /// Returns the number of rows and a hash of each table that is exported. Leaves out the columns
    /// that are meant to differ.
    ///
    /// @param without a pattern of further columns to leave out, or empty
    private static Map<String, String> contents(Database database, String without) {
        var contents = new TreeMap<String, String>();
        try (var db = TestPostgres.open(database)) {
            var left =
                    List.of(
                            "session",
                            "password_reset",
                            "sealing_canary",
                            "idempotency_key",
                            "configuration_use",
                            "lane",
                            "node",
                            "open_stream");
            db.run(tx ->
                    tx
                            .query(
                                    """
                                    select table_name,
                                           string_agg(quote_ident(column_name), ', ' order by ordinal_position) as columns
                                      from information_schema.columns
                                     where table_schema = current_schema()
                                       and table_name !~ '_[0-9]{8}$' and column_name !~ ?
                                       and (table_name, column_name) not in (
                                             ('delivery_work', 'owner'), ('delivery_work', 'next_at'),
                                             ('circuit', 'changed'))
                                     group by table_name
                                    """,
                                    row -> Map.entry(row.text("table_name"), row.text("columns")),
                                    without.isEmpty() ? "^$" : "^(" + without + ")$")
                            .stream()
                            .filter(table -> !left.contains(table.getKey()))
                            .filter(table ->
                                    !table.getKey()
                                            .matches(
                                                    "flyway.*|commit_log|alert_watch|retention|.*i_use|ingest_use|session_use"))
                            .forEach(table ->
                                    contents.put(
                                            table.getKey(),
                                            tx.single(
                                                    "select count(*) || ' ' ||"
                                                        + " left(md5(coalesce(string_agg(t::text,"
                                                        + " ',' order by t::text), '')), 8) as"
                                                        + " found from (select "
                                                            + table.getValue()
                                                            + " from "
                                                            + table.getKey()
                                                            + ") as t",
                                                    row -> row.text("found")))));
        }
        return contents;
    }

    @Test
    void the_relay_goes_on_at_the_other_place() {
        var database = bareDatabase();
        assertDone(
                importing(
                        withKey(database, OTHER_KEY),
                        typing(PASSPHRASE),
                        new ByteArrayInputStream(new byte[0]),
                        sealed.toString()));
        int before = receiver.requests().size();

        try (var sluice = RunningSluice.start(withKey(database, OTHER_KEY))) {
            var api = sluice.api();
            assertThat(api.get("/api/v1/me").status()).as("the old API key").isEqualTo(200);
            Person.signIn(api, FullInstallation.PERSON);
            assertThat(api.patch(original.destinationPath(), "{'status':'active'}").status())
                    .isEqualTo(200);
            await().until(() -> receiver.requests().size() == before + 2);
            var waited = receiver.requests().subList(before, before + 2);
            assertThat(waited)
                    .allSatisfy(request -> {
                        assertThat(request.values("X-Service-Signature")).hasSize(1);
                        assertThat(request.values("X-Own"))
                                .containsExactly(FullInstallation.HEADER_SECRET);
                    })
                    .extracting(request -> request.values("X-Service-Event-Id").getFirst())
                    .containsExactlyInAnyOrderElementsOf(original.waitingEvents());

            var delivery =
                    api.get("/api/v1/events/" + original.finishedEvent())
                            .json()
                            .path("deliveries")
                            .path(0)
                            .path("id")
                            .asString("");
            assertThat(api.get("/api/v1/deliveries/" + delivery + "/attempts/1/request").body())
                    .as("settings that were replaced, with secrets sealed anew")
                    .contains(FullInstallation.HEADER_SECRET);

            String resend = "/api/v1/events/" + original.finishedEvent() + "/resend";
            assertThat(api.post(resend, "{}").status()).isEqualTo(202);
            await().until(() -> receiver.requests().size() == before + 3);
            assertThat(api.ingest(original.ingestPath(), "{}").status())
                    .as("without the sender's key")
                    .isEqualTo(401);
            original.send(sluice.port(), 4);
            await().until(() -> receiver.requests().size() == before + 4);

            assertThat(gap(sluice, original.streamCursor())).isEqualTo("database_replaced");
            assertThat(gap(sluice, original.finishedEvent())).isEqualTo("retention");
            String path = "/api/v1/stream?after=" + original.finishedEvent();
            try (var stream = SseClient.open(sluice.port(), path, RunningSluice.API_KEY)) {
                await().until(() -> stream.eventIds().size() >= 3);
                assertThat(stream.eventIds().subList(0, 3))
                        .startsWith(original.finishedEvent())
                        .containsAll(original.waitingEvents());
            }
        }
        try (var db = TestPostgres.open(database)) {
            long epoch =
                    db.call(tx ->
                            tx.single(
                                    "select last_value from node_epoch",
                                    row -> row.number("last_value")));
            assertThat(epoch).as("epochs go on").isGreaterThan(1);
        }
    }

    /// Returns the reason that a stream gives for a gap behind this place.
    private static String gap(RunningSluice sluice, String after) {
        String path = "/api/v1/stream?after=" + URLEncoder.encode(after, StandardCharsets.UTF_8);
        try (var stream = SseClient.open(sluice.port(), path, RunningSluice.API_KEY)) {
            await().until(() -> !stream.messages("gap").isEmpty());
            return stream.messages("gap").getFirst().data().path("reason").asString();
        }
    }

    @Test
    void an_export_beside_a_busy_server_is_one_moment_of_it() throws Exception {
        var file = folder.resolve("busy.sluice");
        try (var sluice = RunningSluice.start()) {
            var api = sluice.api();
            var source = api.source("s");
            api.connect(source, api.destination(receiver.url(), ""));
            var sender =
                    Thread.ofPlatform()
                            .start(() -> {
                                while (!Files.exists(file)) {
                                    api.ingest(source.text("ingest_path"), "{}");
                                }
                            });
            await().until(() -> count(sluice.database(), "delivery") > 20);
            assertDone(exporting(settings(sluice.database()), file.toString()));
            assertThat(sender.join(Duration.ofMinutes(1))).isTrue();
        }
        var database = TestPostgres.newDatabase();

        assertDone(importing(settings(database), file.toString()));

        try (var db = TestPostgres.open(database)) {
            var report = DatabaseAuditor.check(db);
            assertThat(report.isClean()).as(report.toString()).isTrue();
            assertThat(report.events()).isGreaterThan(20);
        }
    }

    private static long count(Database database, String table) {
        try (var db = TestPostgres.open(database)) {
            return db.call(
                    tx -> tx.single("select count(*) as n from " + table, row -> row.number("n")));
        }
    }

    @Test
    void the_file_is_its_owners_alone_and_shows_no_secret() throws IOException {
        for (var file : List.of(plain, sealed)) {
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                    .isEqualTo("rw-------");
            String text = new String(decompressed(file), StandardCharsets.ISO_8859_1);
            assertThat(text)
                    .contains("workspace")
                    .doesNotContain(
                            FullInstallation.SENDER_KEY,
                            FullInstallation.HEADER_SECRET,
                            RunningSluice.API_KEY,
                            RunningSluice.MASTER_KEY);
        }
        try (var files = Files.list(folder)) {
            assertThat(files).noneMatch(file -> file.toString().endsWith(".part"));
        }
    }

    private static byte[] decompressed(Path file) throws IOException {
        byte[] bytes = Files.readAllBytes(file);
        int start = headerEnd(bytes);
        try (var in =
                new java.util.zip.GZIPInputStream(
                        new ByteArrayInputStream(bytes, start, bytes.length - 65 - start))) {
            return in.readAllBytes();
        }
    }

    /// Returns the index behind the second line.
    private static int headerEnd(byte[] file) {
        int lines = 0;
        for (int i = 0; ; i++) {
            if (file[i] == '\n' && ++lines == 2) {
                return i + 1;
            }
        }
    }

    /// A file, or settings, with which nothing may be imported.
    ///
    /// @param content of the file, one character for each byte
    record Refusal(
            String name, String content, String masterKey, String passphrase, String message) {

        Refusal(String name, byte[] file, String masterKey, String passphrase, String message) {
            this(
                    name,
                    new String(file, StandardCharsets.ISO_8859_1),
                    masterKey,
                    passphrase,
                    message);
        }

        @Override
        public String toString() {
            return name;
        }
    }

    static Stream<Refusal> refusals() throws IOException {
        byte[] good = Files.readAllBytes(plain);
        byte[] withPassphrase = Files.readAllBytes(sealed);
        byte[] flipped = good.clone();
        flipped[good.length / 2] ^= 4;
        byte[] flippedHeader = good.clone();
        flippedHeader[60] ^= 1;
        String key = RunningSluice.MASTER_KEY;
        return Stream.of(
                new Refusal("cut", Arrays.copyOf(good, good.length - 1), key, "", "damaged"),
                new Refusal("half", Arrays.copyOf(good, good.length / 2), key, "", "damaged"),
                new Refusal("empty", new byte[0], key, "", "not made by export-data"),
                new Refusal("flipped", flipped, key, "", "damaged"),
                new Refusal("flipped in its header", flippedHeader, key, "", "damaged"),
                new Refusal(
                        "of a newer schema",
                        altered(good, "\"schema_version\":", "\"schema_version\":9"),
                        key,
                        "",
                        "newer version of Sluice ("),
                new Refusal(
                        "of an older schema",
                        altered(
                                Files.readAllBytes(FormerFileTest.FILE),
                                "\"schema_version\":38",
                                "\"schema_version\":37"),
                        key,
                        "",
                        "Import it with the version before this one, whose schema is 38, and export"
                                + " it again."),
                new Refusal(
                        "of a newer format",
                        altered(good, "SLUICE-DATA 2", "SLUICE-DATA 3"),
                        key,
                        "",
                        "format that this version cannot read"),
                new Refusal(
                        "with a table that does not exist",
                        altered(good, "\"name\":\"quota\"", "\"name\":\"quote\""),
                        key,
                        "",
                        "made by another program"),
                new Refusal(
                        "with a table that an export leaves out",
                        altered(good, "\"name\":\"quota\"", "\"name\":\"session\""),
                        key,
                        "",
                        "made by another program"),
                new Refusal(
                        "with a column that does not exist",
                        altered(good, "\"columns\":[\"id\",", "\"columns\":[\"idd\","),
                        key,
                        "",
                        "made by another program"),
                new Refusal("under another key", good, OTHER_KEY, "", "another master key"),
                new Refusal(
                        "with a wrong passphrase",
                        withPassphrase,
                        key,
                        "Strasse nach Norden",
                        "passphrase is not the file's"));
    }

    /// Returns the file with a changed header and the right checksum.
    static byte[] altered(byte[] file, String from, String to) {
        return rewritten(file, header -> header.replace(from, to));
    }

    private static byte[] rewritten(byte[] file, UnaryOperator<String> change) {
        int start = headerEnd(file);
        String header = new String(file, 0, start, StandardCharsets.ISO_8859_1);
        String rest =
                new String(file, start, file.length - 65 - start, StandardCharsets.ISO_8859_1);
        byte[] content = (change.apply(header) + rest).getBytes(StandardCharsets.ISO_8859_1);
        String trailer = HexFormat.of().formatHex(Sha256.hash(content)) + "\n";
        byte[] all = Arrays.copyOf(content, content.length + 65);
        System.arraycopy(trailer.getBytes(StandardCharsets.US_ASCII), 0, all, content.length, 65);
        return all;
    }

    @ParameterizedTest
    @MethodSource("refusals")
    void nothing_is_written_from_a_file(Refusal refusal) throws IOException {
        var file =
                Files.writeString(
                        Files.createTempFile(folder, "bad", ".sluice"),
                        refusal.content(),
                        StandardCharsets.ISO_8859_1);
        var database = bareDatabase();

        var run =
                importing(
                        withKey(database, refusal.masterKey()),
                        typing(refusal.passphrase()),
                        new ByteArrayInputStream(new byte[0]),
                        file.toString());

        assertThat(run.status()).as(run.err()).isEqualTo(1);
        assertThat(run.err().lines().toList().getLast())
                .as("one line")
                .contains(refusal.message())
                .endsWith(" Nothing was imported.");
        assertThat(run.err()).doesNotContain(refusal.masterKey(), "nach");
        assertThat(hasSchema(database)).isFalse();
    }

    /// What a hostile header may claim: a pattern in a good one, and what replaces it.
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            textBlock =
                    """
                    "node_epoch","last_value":\\d+ | "node_epoch","last_value":9223372036854775807   | node_epoch go on after 9223372036854775807
                    "node_epoch","last_value":\\d+ | "node_epoch","last_value":4611686018427387904   | node_epoch go on after 4611686018427387904
                    "node_epoch","last_value":\\d+ | "node_epoch","last_value":-1                    | node_epoch go on after -1
                    "node_epoch","last_value":\\d+ | "node_epoch","last_value":0                     | node_epoch go on after 0
                    "node_epoch","last_value":\\d+ | "node_epoch","last_value":9223372036854775808   | damaged
                    "node_epoch","last_value":\\d+ | "node_epoch","last_value":1.5                   | damaged
                    "node_epoch","last_value":\\d+ | "node_epoch","last_value":"7"                   | damaged
                    "node_epoch","last_value":\\d+ | "node_epoch"                                    | damaged
                    "node_epoch",                  | "node_epoch\\\\u001b[2J",                       | damaged
                    "node_epoch",                  | "pg_class",                                     | made by another program
                    "node_epoch",                  | "payload_dictionary_number_seq",                | made by another program
                    "node_epoch","last_value":\\d+ | "payload_dictionary_number_seq","last_value":2147483647 | payload_dictionary_number_seq go on after 2147483647
                    "sequences":\\[                | "sequences":[7,                               | damaged
                    "sequences":\\[                | "sequences":null,"x":[                        | damaged
                    "days":\\["(.*?)"              | "days":["$1","$1"                             | damaged
                    "days":\\[                     | "days":["-9999-01-01",                        | damaged
                    "days":\\[                     | "days":["+10000-01-01",                       | damaged
                    "days":\\[                     | "days":["9999-12-31",                         | damaged
                    "days":\\[                     | "days":["1969-12-31",                         | damaged
                    "days":\\[                     | "days":["2026-02-30",                         | damaged
                    "days":\\[                     | "days":["2026-01-01') to ('x');--",           | damaged
                    "days":\\[                     | "days":[20260101,                             | damaged
                    "name":"quota"                 | "name":"total"                                | damaged
                    "name":"quota"                 | "name":"quota\\\\"; drop table account; --"     | made by another program
                    "name":"quota","columns":\\["(.*?)" | "name":"quota","columns":["$1","$1"     | damaged
                    "name":"quota","columns":\\[   | "name":"quota","columns":[1,                  | damaged
                    "name":"quota","columns":\\[   | "name":"quota","columns":["ctid",             | made by another program
                    "name":"quota","columns":\\[   | "name":"quota","columns":["\\\\") from program '", | made by another program
                    "destination:auth:"            | "destination:auth"                           | made by another program
                    "seeded":true                  | "seeded":false                                | made by another program
                    "seeded":false                 | "seeded":true                                 | made by another program
                    "seeded":false                 | "seeded":"no"                                 | damaged
                    "schema_version":              | "schema_version":-                            | damaged
                    "schema_version":\\d+          | "schema_version":"36"                         | damaged
                    "schema_version":\\d+          | "schema_version":1                            | another program
                    "version":"                    | "version":"\\\\u202e                            | damaged
                    "database":"                   | "database":"\\\\u001b[2J                        | damaged
                    "created_at":".*?"             | "created_at":"yesterday"                      | damaged
                    "canary":".*?"                 | "canary":"?"                                  | damaged
                    """)
    void a_hostile_header_is_refused_and_leaves_an_importable_database(
            String pattern, String replacement, String message) throws IOException {
        byte[] good = Files.readAllBytes(plain);
        var file =
                Files.write(
                        Files.createTempFile(folder, "hostile", ".sluice"),
                        rewritten(good, header -> header.replaceFirst(pattern, replacement)));
        assertThat(Files.mismatch(file, plain)).as("the pattern is there").isNotNegative();
        var database = bareDatabase();

        var run = importing(settings(database), file.toString());

        assertThat(run.status()).as(run.err()).isEqualTo(1);
        assertThat(run.err().lines().toList().getLast())
                .contains(message)
                .endsWith(" Nothing was imported.");
        assertThat(run.err()).doesNotContain("\u001b", "\u202e");
        assertThat(hasSchema(database)).isFalse();
    }

    @Test
    void a_header_with_ten_thousand_days_is_refused() throws IOException {
        var days =
                LocalDate.of(1970, 1, 1)
                        .datesUntil(LocalDate.of(2000, 1, 1))
                        .limit(10_000)
                        .map(day -> "\"" + day + "\",")
                        .collect(Collectors.joining());
        var file =
                Files.write(
                        folder.resolve("days.sluice"),
                        altered(Files.readAllBytes(plain), "\"days\":[", "\"days\":[" + days));
        var database = bareDatabase();

        var run = importing(settings(database), file.toString());

        assertThat(run.status()).as(run.err()).isEqualTo(1);
        assertThat(run.err()).contains(" days with partitions; at most 4000 can be imported.");
        assertThat(hasSchema(database)).isFalse();
    }

    private static boolean hasSchema(Database database) {
        try (var db = TestPostgres.open(database)) {
            return db.call(tx ->
                    tx.single(
                            "select to_regnamespace('sluice') is not null as is_there",
                            row -> row.bool("is_there")));
        }
    }

    @Test
    void a_database_with_rows_is_refused_and_keeps_them() {
        var before = contents(original.database(), "");

        var run = importing(settings(original.database()), plain.toString());

        assertThat(run.status()).isEqualTo(1);
        assertThat(run.err()).contains("is not empty: the table ", "Nothing was imported.");
        assertThat(contents(original.database(), "")).isEqualTo(before);
    }

    /// The second step of an import is to bring the tables up to date, which here fails: the rows
    /// change the schema's history as they come.
    @Test
    void rows_that_were_imported_are_not_called_lost_if_the_last_migration_fails() {
        var database = TestPostgres.newDatabase();
        try (var db = TestPostgres.open(database)) {
            db.run(tx -> {
                tx.update(
                        """
                        create function damage_history() returns trigger language plpgsql as $$
                        begin update flyway_schema_history set checksum = 1; return null; end $$
                        """);
                tx.update(
                        "create trigger damage_history after insert on sealing_canary execute"
                                + " function damage_history()");
            });
        }

        var run = importing(settings(database), plain.toString());

        assertDone(run);
        assertThat(run.err())
                .contains("Imported ", "Only the last step failed: ")
                .contains("The server tries it again when it starts.");
        assertThat(count(database, "event")).isEqualTo(3);
    }

    @Test
    void a_cut_stream_leaves_nothing_and_a_whole_one_is_imported() throws IOException {
        var database = TestPostgres.newDatabase();
        byte[] whole =
                exporting(settings(original.database()), "-")
                        .out()
                        .getBytes(StandardCharsets.ISO_8859_1);
        byte[] cut = Arrays.copyOf(whole, whole.length - 70);

        var broken =
                importing(
                        settings(database),
                        DataTransferRun.NO_TERMINAL,
                        new ByteArrayInputStream(cut),
                        "-");
        assertThat(broken.status()).as(broken.err()).isEqualTo(1);
        assertThat(count(database, "event")).isZero();

        assertDone(
                importing(
                        settings(database),
                        DataTransferRun.NO_TERMINAL,
                        new ByteArrayInputStream(whole),
                        "-"));
        assertThat(contents(database, "")).isEqualTo(contents(original.database(), ""));
    }

    @Test
    void an_import_that_is_killed_keeps_servers_out_leaves_nothing_and_can_be_repeated()
            throws Exception {
        var database = bareDatabase();
        byte[] file = Files.readAllBytes(plain);
        var process = startImport(database);
        try (var db = TestPostgres.open(database)) {
            process.getOutputStream().write(file, 0, file.length - 100);
            process.getOutputStream().flush();
            await().until(() -> isLocked(db));

            var refusal =
                    org.junit.jupiter.api.Assertions.assertThrows(
                            StartupException.class, () -> RunningSluice.start(settings(database)));
            assertThat(refusal).hasMessageContaining("import into the database");

            process.destroyForcibly();
            assertThat(process.waitFor(1, TimeUnit.MINUTES)).isTrue();
            await().until(() -> !isLocked(db));
        }
        assertThat(count(database, "workspace")).isZero();
        assertThat(count(database, "event")).isZero();

        assertDone(importing(settings(database), plain.toString()));

        assertThat(contents(database, "")).isEqualTo(contents(original.database(), ""));
        var again = importing(settings(database), plain.toString());
        assertThat(again.status()).isEqualTo(1);
    }

    private static Process startImport(Database database) throws IOException {
        var builder =
                new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        "-Dlogback.configurationFile=logback.xml",
                        "dev.sluice.Main",
                        "import-data",
                        "-");
        builder.environment().keySet().removeIf(name -> name.startsWith("SLUICE_"));
        builder.environment().putAll(settings(database));
        return builder.redirectError(ProcessBuilder.Redirect.INHERIT).start();
    }

    private static boolean isLocked(Db db) {
        return db.call(tx ->
                tx.single(
                        """
                        select exists (select from pg_locks
                                        where locktype = 'advisory' and mode = 'ExclusiveLock' and granted
                                          and classid = x'536c7569'::int and objid = x'63650001'::int
                                          and database = (select oid from pg_database
                                                           where datname = current_database())) as is_locked
                        """,
                        row -> row.bool("is_locked")));
    }

    @Test
    void a_secret_that_could_not_be_opened_stays_as_it_was_and_is_counted() {
        var database = TestPostgres.newDatabase();
        assertDone(importing(settings(database), plain.toString()));
        try (var db = TestPostgres.open(database)) {
            db.run(tx -> tx.update("update destination set auth = '\\x0102'"));
        }
        var file = folder.resolve("unreadable.sluice").toString();

        var run = exporting(settings(database), typing(PASSPHRASE), file, "--passphrase");

        assertDone(run);
        assertThat(run.err()).contains("1 secrets could not be opened");
        var target = TestPostgres.newDatabase();
        var imported =
                importing(
                        settings(target),
                        typing(PASSPHRASE),
                        new ByteArrayInputStream(new byte[0]),
                        file);
        assertDone(imported);
        assertThat(imported.err()).contains("1 secrets cannot be opened");
        try (var db = TestPostgres.open(target)) {
            byte[] auth =
                    db.call(tx ->
                            tx.single("select auth from destination", row -> row.bytes("auth")));
            assertThat(auth).containsExactly(1, 2);
        }
    }

    @Test
    void an_existing_file_is_not_overwritten() throws IOException {
        var file = Files.writeString(folder.resolve("there"), "mine");

        var run = exporting(settings(original.database()), file.toString());

        assertThat(run.status()).isEqualTo(1);
        assertThat(run.err()).contains("The file " + file + " already exists.");
        assertThat(file).content().isEqualTo("mine");
    }

    @Test
    void a_file_that_is_created_during_the_export_is_not_overwritten() {
        var file = folder.resolve("meanwhile");

        var run =
                DataTransferRun.exportingWhile(
                        settings(original.database()), () -> write(file, "mine"), file.toString());

        assertThat(run.status()).isEqualTo(1);
        assertThat(run.err()).contains("The file " + file + " already exists.");
        assertThat(file).content().isEqualTo("mine");
        assertThat(folder).isDirectoryNotContaining("glob:**meanwhile*.part");
    }

    private static void write(Path file, String text) {
        try {
            Files.writeString(file, text);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void a_database_that_no_server_used_has_nothing_to_export() {
        var file = folder.resolve("none");

        for (var database : List.of(bareDatabase(), TestPostgres.newDatabase())) {
            var run = exporting(settings(database), file.toString());

            assertThat(run.status()).isEqualTo(1);
            assertThat(run.err()).containsAnyOf("no server has used it yet", "has no installation");
            assertThat(file).doesNotExist();
        }
    }

    @Test
    void a_wrong_master_key_cannot_seal_a_file_under_a_passphrase() {
        var run =
                exporting(
                        withKey(original.database(), OTHER_KEY),
                        typing(PASSPHRASE),
                        folder.resolve("wrong").toString(),
                        "--passphrase");

        assertThat(run.status()).isEqualTo(1);
        assertThat(run.err()).contains("another master key").doesNotContain(PASSPHRASE);
    }

    static Stream<List<String>> wrongCommands() {
        return Stream.of(
                List.of(),
                List.of("a", "b"),
                List.of("a", "--passphrase-file"),
                List.of("a", "--passphrase", "--passphrase-file", "b"));
    }

    @ParameterizedTest
    @MethodSource("wrongCommands")
    void wrong_arguments_are_told_the_usage(List<String> arguments) {
        String[] words = arguments.toArray(String[]::new);
        for (var run : List.of(exporting(Map.of(), words), importing(Map.of(), words))) {
            assertThat(run.status()).isEqualTo(2);
            assertThat(run.err()).startsWith("Usage: sluice ");
        }
    }

    @Test
    void help_is_the_usage_and_status_0() {
        for (var run : List.of(exporting(Map.of(), "--help"), importing(Map.of(), "--help"))) {
            assertThat(run.status()).isZero();
            assertThat(run.err()).startsWith("Usage: sluice ");
        }
    }

    /// The message says what is wrong, and how to fix it.
    ///
    /// @param run what was done, in a folder of its own
    record Impossible(String name, Function<Path, DataTransferRun> run, List<String> message) {

        @Override
        public String toString() {
            return name;
        }
    }

    static Stream<Impossible> impossible() {
        var there = original.database();
        var at = settings(there);
        var nowhere = withKey(Database.parse("postgresql://nobody:secret@127.0.0.1:1/none"));
        var stranger = withKey(login(there, there.name(), "stranger"));
        var missing = withKey(login(there, "missing", there.user()));
        return Stream.of(
                new Impossible(
                        "export without a database",
                        folder -> exporting(nowhere, folder + "/new"),
                        List.of("Connection to 127.0.0.1:1 refused", "Check SLUICE_DATABASE_URL")),
                new Impossible(
                        "export as an unknown user",
                        folder -> exporting(stranger, folder + "/new"),
                        List.of("stranger", "Check SLUICE_DATABASE_URL")),
                new Impossible(
                        "export from a missing database",
                        folder -> exporting(missing, folder + "/new"),
                        List.of("missing", "Check SLUICE_DATABASE_URL")),
                new Impossible(
                        "import without a database",
                        _ -> importing(nowhere, plain.toString()),
                        List.of("Connection to 127.0.0.1:1 refused", "Check SLUICE_DATABASE_URL")),
                new Impossible(
                        "import as an unknown user",
                        _ -> importing(stranger, plain.toString()),
                        List.of("stranger", "Check SLUICE_DATABASE_URL")),
                new Impossible(
                        "export to a missing folder",
                        folder -> exporting(at, folder + "/none/new"),
                        List.of("there is no folder for ", "/none/new")),
                new Impossible(
                        "export to a folder of others",
                        folder -> exporting(at, readOnly(folder) + "/new"),
                        List.of("may not read or write ", "choose another file")),
                new Impossible(
                        "export to a full disk",
                        _ -> exportingTo("/dev/full", at),
                        List.of("the disk is full", "Free some space")),
                new Impossible(
                        "export with a short passphrase",
                        folder -> exporting(at, typing("short"), folder + "/new", "--passphrase"),
                        List.of("must have 8 characters or more")),
                new Impossible(
                        "export without a terminal",
                        folder -> exporting(at, folder + "/new", "--passphrase"),
                        List.of("there is no terminal", "Give --passphrase-file")),
                new Impossible(
                        "export with a missing passphrase file",
                        folder ->
                                exporting(
                                        at, folder + "/new", "--passphrase-file", folder + "/none"),
                        List.of("there is no file ", "/none")),
                new Impossible(
                        "export with a passphrase file that is not text",
                        folder ->
                                exporting(at, folder + "/new", "--passphrase-file", latin1(folder)),
                        List.of("is not UTF-8", "Save the file as UTF-8")),
                new Impossible(
                        "import of a missing file",
                        folder -> importing(at, folder + "/none"),
                        List.of("there is no file ", "/none")),
                new Impossible(
                        "import of a folder",
                        folder -> importing(at, folder.toString()),
                        List.of("is a folder. Name the file that export-data wrote")),
                new Impossible(
                        "import without a terminal",
                        _ -> importing(at, sealed.toString()),
                        List.of("there is no terminal", "Give --passphrase-file")));
    }

    private static Map<String, String> withKey(Database database) {
        return withKey(database, RunningSluice.MASTER_KEY);
    }

    private static Database login(Database at, String name, String user) {
        return new Database(at.host(), at.port(), name, user, at.password(), at.parameters());
    }

    /// Returns a folder in which this process may create no file. The permissions of a folder do
    /// not hold root back.
    private static Path readOnly(Path folder) {
        var sysfs = Path.of("/sys");
        if (System.getProperty("user.name").equals("root")) {
            return sysfs;
        }
        var closed = folder.resolve("closed");
        try {
            return Files.createDirectory(
                    closed,
                    PosixFilePermissions.asFileAttribute(
                            PosixFilePermissions.fromString("r-xr-xr-x")));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static DataTransferRun exportingTo(String device, Map<String, String> settings) {
        try (var out = new FileOutputStream(device)) {
            return DataTransferRun.exportingTo(out, settings);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String latin1(Path folder) {
        try {
            return Files.writeString(
                            folder.resolve("latin1"), PASSPHRASE, StandardCharsets.ISO_8859_1)
                    .toString();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @ParameterizedTest
    @MethodSource("impossible")
    void what_cannot_be_done_is_status_2_and_one_line_with_the_fix(
            Impossible impossible, @TempDir Path own) {
        var run = impossible.run().apply(own);

        assertThat(run.status()).as(run.err()).isEqualTo(2);
        var lines =
                run.err()
                        .lines()
                        .filter(line -> !line.startsWith("  ") && !line.startsWith("Checking "))
                        .toList();
        assertThat(lines).as("but for the progress").hasSize(1);
        assertThat(lines.getFirst())
                .matches("The (export|import) failed: .*[^.]\\.")
                .contains(impossible.message())
                .doesNotContain("secret");
        assertThat(own).isDirectoryNotContaining("glob:**new*");
    }

    @Test
    void a_full_disk_of_the_database_leaves_nothing() {
        var database = TestPostgres.newDatabase();
        try (var db = TestPostgres.open(database);
                var _ = RowRefusal.of(db, "workspace", "true", "53100")) {
            var run = importing(settings(database), plain.toString());

            assertThat(run.status()).as(run.err()).isEqualTo(2);
            assertThat(run.err().lines().toList().getLast()).startsWith("The import failed: ");
        }
        assertThat(count(database, "workspace")).isZero();
        assertThat(count(database, "event")).isZero();
        assertDone(importing(settings(database), plain.toString()));
    }
}
