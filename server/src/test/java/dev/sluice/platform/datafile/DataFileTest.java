package dev.sluice.platform.datafile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.sluice.platform.datafile.DataFileHeader.PassphraseParameters;
import dev.sluice.platform.datafile.DataFileHeader.TableLayout;
import dev.sluice.testkit.Some;

import org.junit.jupiter.api.Test;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;

/// Tests that a data file is read as it was written, and that no damaged one is.
class DataFileTest {

    private static final DataFileHeader HEADER =
            new DataFileHeader(
                    new DataFileHeader.FileOrigin(Some.NOON, "1.0", 27, "1-2"),
                    Optional.of(new PassphraseParameters("c2FsdA==", 65_536, 3, 4)),
                    "Y2FuYXJ5",
                    List.of(LocalDate.of(2026, 11, 22), LocalDate.of(2026, 11, 23)),
                    Map.of("node_epoch", 7L),
                    List.of(
                            new TableLayout("small", List.of("a", "b"), Map.of("b", "x:"), true),
                            new TableLayout("large", List.of("a"), Map.of(), false)));

    private static final byte[] LARGE = new byte[200_000];

    static {
        new Random(1).nextBytes(LARGE);
    }

    private static byte[] file(byte[] large) throws IOException {
        var out = new ByteArrayOutputStream();
        var file = new DataFileWriter(out, HEADER);
        file.beginTable("small");
        file.rows(new ByteArrayInputStream("rows".getBytes(US_ASCII)), _ -> {});
        file.endTable(2);
        file.beginTable("large");
        file.rows(new ByteArrayInputStream(large), _ -> {});
        file.endTable(Long.MAX_VALUE);
        file.finish();
        return out.toByteArray();
    }

    /// @param rows the number that the file states
    private record ReadTable(String name, int bytes, long rows) {}

    /// Reads a whole file and returns its tables.
    private static List<ReadTable> read(InputStream in) throws IOException {
        var file = DataFileReader.open(in);
        assertThat(file.header()).isEqualTo(HEADER);
        var tables = new ArrayList<ReadTable>();
        for (var name = file.nextTable(); name.isPresent(); name = file.nextTable()) {
            byte[] rows = file.rows().readAllBytes();
            tables.add(new ReadTable(name.get(), rows.length, file.rowCount()));
            assertThat(rows.length < 1000 || Arrays.equals(rows, LARGE)).isTrue();
        }
        file.end();
        return tables;
    }

    @Test
    void what_is_written_is_read() throws IOException {
        byte[] file = file(LARGE);

        assertThat(read(new ByteArrayInputStream(file)))
                .containsExactly(
                        new ReadTable("small", 4, 2),
                        new ReadTable("large", LARGE.length, Long.MAX_VALUE));
        DataFileReader.verify(new ByteArrayInputStream(file));
    }

    @Test
    void a_pipe_that_gives_single_bytes_is_read() throws IOException {
        var slow =
                new FilterInputStream(new ByteArrayInputStream(file(LARGE))) {
                    @Override
                    public int read(byte[] target, int offset, int length) throws IOException {
                        return super.read(target, offset, Math.min(1, length));
                    }
                };

        assertThat(read(slow)).hasSize(2);
    }

    @Test
    void a_file_cut_anywhere_is_refused() throws IOException {
        byte[] file = file(new byte[0]);

        for (int length = 0; length < file.length; length++) {
            assertRefused(Arrays.copyOf(file, length), "cut to " + length);
        }
        assertRefused(Arrays.copyOf(file, file.length + 1), "longer");
    }

    @Test
    void a_file_with_any_byte_flipped_is_refused() throws IOException {
        byte[] file = file(new byte[0]);

        for (int at = 0; at < file.length; at++) {
            byte[] flipped = file.clone();
            flipped[at] ^= 1;
            assertRefused(flipped, "flipped at " + at);
        }
    }

    private static void assertRefused(byte[] file, String name) {
        assertThatThrownBy(
                        () -> {
                            var reader = DataFileReader.open(new ByteArrayInputStream(file));
                            while (reader.nextTable().isPresent()) {
                                reader.rows().readAllBytes();
                                reader.rowCount();
                            }
                            reader.end();
                        })
                .as(name)
                .isInstanceOf(DataFileException.class);
        assertThatThrownBy(() -> DataFileReader.verify(new ByteArrayInputStream(file)))
                .as(name)
                .isInstanceOf(DataFileException.class);
    }

    @Test
    void a_passphrase_that_would_cost_hours_is_not_tried() throws IOException {
        String file = new String(file(new byte[0]), java.nio.charset.StandardCharsets.ISO_8859_1);

        for (var change :
                Map.of(
                                "\"memory_kib\":65536", "\"memory_kib\":99999999",
                                "\"iterations\":3", "\"iterations\":1000000",
                                "\"parallelism\":4", "\"parallelism\":0")
                        .entrySet()) {
            byte[] altered =
                    file.replace(change.getKey(), change.getValue())
                            .getBytes(java.nio.charset.StandardCharsets.ISO_8859_1);
            assertThatThrownBy(() -> DataFileReader.open(new ByteArrayInputStream(altered)))
                    .isInstanceOf(DataFileException.class)
                    .hasMessageContaining("header");
        }
    }
}
