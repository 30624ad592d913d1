package dev.sluice.platform.datafile;

import dev.sluice.platform.json.FieldReader;
import dev.sluice.platform.json.Json;
import dev.sluice.platform.json.JsonObject;
import dev.sluice.platform.json.MalformedJsonException;
import dev.sluice.platform.json.Patch;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/// The header of a data file, which describes the rows that follow.
///
/// @param passphrase how the key for the file's secrets is derived from a passphrase, or empty if
///   that key is the master key
/// @param canary a known text, sealed with the key for the file's secrets and encoded in base64
/// @param days the UTC days that have partitions
/// @param sequences the last value of each sequence that has been used, by sequence name
/// @param tables the tables, in the order in which the file contains their rows
public record DataFileHeader(
        FileOrigin origin,
        Optional<PassphraseParameters> passphrase,
        String canary,
        List<LocalDate> days,
        Map<String, Long> sequences,
        List<TableLayout> tables) {

    /// The program that wrote the file, and the database that the rows come from.
    ///
    /// @param createdAt when the snapshot was taken, according to the database's clock
    /// @param version the version of the program that wrote the file
    /// @param schemaVersion the number of the last migration that was applied to the tables
    /// @param database the name of the database that the rows come from
    public record FileOrigin(
            Instant createdAt, String version, int schemaVersion, String database) {}

    /// The parameters with which Argon2id derives a key from a passphrase.
    ///
    /// @param salt the salt, encoded in base64
    public record PassphraseParameters(
            String salt, int memoryKib, int iterations, int parallelism) {}

    /// A table in the file.
    ///
    /// @param sealed maps each column that contains sealed values to a prefix. A sealed value's
    ///   context is this prefix followed by the row's `id`, or by the row's first column if the
    ///   table has no `id`
    /// @param isSeeded whether migrations write rows into the table; if so, the file's rows replace
    ///   those rows
    public record TableLayout(
            String name, List<String> columns, Map<String, String> sealed, boolean isSeeded) {}

    private static final int MAX_NAME_LENGTH = 1_000;
    private static final int MAX_ENTRIES = 1_000;

    /// The maximum number of days with partitions. The longest retention has 3 650 days; clocks
    /// that leapt may have added a few.
    private static final int MAX_DAYS = 4_000;

    /// The days that an id of version 7 can have, whose partitions also have a name of eight
    /// digits.
    private static final LocalDate FIRST_DAY = LocalDate.of(1970, 1, 1);

    private static final LocalDate LAST_DAY = LocalDate.of(9999, 12, 30);
    private static final int MAX_VERSION = 1_000_000;

    /// The largest Argon2id parameters that are accepted. Larger ones could exhaust the memory or
    /// take hours, so a file with larger parameters is treated as damaged.
    private static final int MAX_MEMORY_KIB = 1 << 20;

    private static final int MAX_ITERATIONS = 100;
    private static final int MAX_PARALLELISM = 64;

    byte[] json() {
        var header =
                new JsonObject()
                        .put("created_at", origin.createdAt())
                        .put("version", origin.version())
                        .put("schema_version", origin.schemaVersion())
                        .put("database", origin.database());
        passphrase.ifPresent(parameters ->
                header.put(
                        "passphrase",
                        new JsonObject()
                                .put("salt", parameters.salt())
                                .put("memory_kib", parameters.memoryKib())
                                .put("iterations", parameters.iterations())
                                .put("parallelism", parameters.parallelism())));
        header.put("canary", canary)
                .put("days", days.stream().map(LocalDate::toString).toList())
                .put("sequences", json(sequences))
                .put("tables", tables.stream().map(DataFileHeader::json).toList());
        return Json.bytes(header);
    }

    private static List<JsonObject> json(Map<String, Long> sequences) {
        return sequences.entrySet().stream()
                .map(each ->
                        new JsonObject()
                                .put("name", each.getKey())
                                .put("last_value", each.getValue()))
                .toList();
    }

    private static JsonObject json(TableLayout table) {
        return new JsonObject()
                .put("name", table.name())
                .put("columns", table.columns())
                .put("sealed", table.sealed())
                .put("seeded", table.isSeeded());
    }

    /// @throws DataFileException if the JSON is not a valid header
    static DataFileHeader parse(byte[] json) {
        try {
            var header = Json.fieldReader(json);
            return new DataFileHeader(
                    new FileOrigin(
                            needed(header.parsed("created_at", FieldReader::parseTime)),
                            needed(header.name("version", 1, MAX_NAME_LENGTH)),
                            needed(header.integer("schema_version", 1, MAX_VERSION)),
                            needed(header.name("database", 1, MAX_NAME_LENGTH))),
                    header.nested("passphrase").toOptional().map(DataFileHeader::passphrase),
                    needed(header.text("canary", 1, MAX_NAME_LENGTH)),
                    days(header),
                    sequences(needed(header.nestedList("sequences", 0, MAX_ENTRIES))),
                    tables(needed(header.nestedList("tables", 0, MAX_ENTRIES))));
        } catch (MalformedJsonException e) {
            throw damaged();
        }
    }

    private static PassphraseParameters passphrase(FieldReader fields) {
        return new PassphraseParameters(
                needed(fields.text("salt", 1, MAX_NAME_LENGTH)),
                needed(fields.integer("memory_kib", 8 * MAX_PARALLELISM, MAX_MEMORY_KIB)),
                needed(fields.integer("iterations", 1, MAX_ITERATIONS)),
                needed(fields.integer("parallelism", 1, MAX_PARALLELISM)));
    }

    private static List<LocalDate> days(FieldReader header) {
        var texts = needed(header.stringList("days", Integer.MAX_VALUE));
        if (texts.size() > MAX_DAYS) {
            throw new DataFileException(
                    "The file has "
                            + texts.size()
                            + " days with partitions; at most "
                            + MAX_DAYS
                            + " can be imported.");
        }
        var days = texts.stream().map(DataFileHeader::day).distinct().toList();
        if (days.size() < texts.size()) {
            throw damaged();
        }
        return days;
    }

    private static LocalDate day(String text) {
        try {
            var day = LocalDate.parse(text);
            if (day.isBefore(FIRST_DAY) || day.isAfter(LAST_DAY)) {
                throw damaged();
            }
            return day;
        } catch (DateTimeException e) {
            throw damaged();
        }
    }

    private static Map<String, Long> sequences(List<FieldReader> list) {
        var sequences = new TreeMap<String, Long>();
        for (var fields : list) {
            String name = needed(fields.name("name", 1, MAX_NAME_LENGTH));
            if (sequences.put(name, needed(fields.longInteger("last_value"))) != null) {
                throw damaged();
            }
        }
        return sequences;
    }

    private static List<TableLayout> tables(List<FieldReader> list) {
        var tables = list.stream().map(DataFileHeader::table).toList();
        if (tables.stream().map(TableLayout::name).distinct().count() < tables.size()) {
            throw damaged();
        }
        return tables;
    }

    private static TableLayout table(FieldReader fields) {
        var columns = needed(fields.stringList("columns", MAX_ENTRIES));
        if (columns.isEmpty() || Set.copyOf(columns).size() < columns.size()) {
            throw damaged();
        }
        return new TableLayout(
                needed(fields.name("name", 1, MAX_NAME_LENGTH)),
                columns,
                needed(fields.stringMap("sealed")),
                needed(fields.bool("seeded")));
    }

    private static <T> T needed(Patch<T> value) {
        return value.toOptional().orElseThrow(DataFileHeader::damaged);
    }

    private static DataFileException damaged() {
        return new DataFileException(
                "The file's header is damaged. Fetch it again, or use another one.");
    }
}
