package dev.sluice.features.transfer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.account.access.SealingCanaryStore;
import dev.sluice.engine.commit.PartitionStore;
import dev.sluice.platform.datafile.DataFileReader;
import dev.sluice.platform.db.Database;
import dev.sluice.platform.db.Db;
import dev.sluice.testkit.Given;
import dev.sluice.testkit.TestPostgres;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.Optional;

/// Tests what an export does to a server that works beside it.
class InstallationExporterTest {

    private static final LocalDate FIRST_KEPT = LocalDate.of(2026, 2, 3);
    private static final LocalDate NEW_DAY = LocalDate.of(2026, 3, 1);

    private static final TransferProgress SILENT =
            new TransferProgress() {
                @Override
                public void moved(String table, long bytes) {}

                @Override
                public void finished(String table, long rows, long bytes) {}
            };

    private final Database database = TestPostgres.newDatabase();

    @AutoClose private final Db server = TestPostgres.open(database);
    @AutoClose private final Db own = TestPostgres.open(database);

    /// Runs something before it takes the first byte.
    private static final class HeldStream extends OutputStream {

        private final ByteArrayOutputStream taken = new ByteArrayOutputStream();
        private final Runnable first;

        HeldStream(Runnable first) {
            this.first = first;
        }

        @Override
        public void write(int one) {
            write(new byte[] {(byte) one}, 0, 1);
        }

        @Override
        public void write(byte[] bytes, int offset, int length) {
            if (taken.size() == 0) {
                first.run();
            }
            taken.write(bytes, offset, length);
        }
    }

    private HeldStream export(Runnable meanwhile) {
        var stream = new HeldStream(meanwhile);
        new InstallationExporter("1", 27, Optional.empty(), SILENT).write(own, stream);
        return stream;
    }

    @Test
    void days_are_made_while_an_export_reads_and_removed_after_it() throws IOException {
        SealingCanaryStore.check(server, Given.SEALER);
        var partitions = new PartitionStore(server);
        partitions.makeAhead(Instant.parse("2026-02-01T12:00:00Z"));

        var file =
                export(() -> {
                    assertThat(partitions.dropBefore(FIRST_KEPT)).as("blocked").isFalse();
                    partitions.makeAhead(NEW_DAY.atStartOfDay().toInstant(ZoneOffset.UTC));
                    server.run(tx -> tx.update("update config_version set version = 99"));
                });

        assertThat(partitions.days()).contains(NEW_DAY);
        assertThat(partitions.dropBefore(FIRST_KEPT)).isTrue();
        assertThat(partitions.days().first()).isEqualTo(FIRST_KEPT);
        var header =
                DataFileReader.open(new ByteArrayInputStream(file.taken.toByteArray())).header();
        assertThat(header.days()).startsWith(LocalDate.of(2026, 1, 31)).doesNotContain(NEW_DAY);
    }

    @Test
    void what_is_committed_after_its_beginning_is_not_in_the_file() throws IOException {
        SealingCanaryStore.check(server, Given.SEALER);

        var file = export(() -> new Given(server));

        var reader = DataFileReader.open(new ByteArrayInputStream(file.taken.toByteArray()));
        while (reader.nextTable().isPresent()) {
            reader.rows().readAllBytes();
            assertThat(reader.rowCount()).isLessThan(2); // nothing, or the seed
        }
        reader.end();
        boolean isStored = server.call(tx -> TransferQueries.hasRows(tx, "workspace"));
        assertThat(isStored).isTrue();
    }
}
