package dev.sluice.platform.datafile;

import static java.nio.charset.StandardCharsets.UTF_8;

import org.jspecify.annotations.Nullable;

import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UTFDataFormatException;
import java.util.Optional;
import java.util.zip.GZIPInputStream;
import java.util.zip.ZipException;

/// Reads a data file from its header to its checksum. Apart from the header, it keeps only buffers
/// of about 64 KiB in memory. Not thread-safe.
///
/// The caller must call [#end] before it commits its work on the rows, because only `end` checks
/// that the file is intact.
public final class DataFileReader {

    /// The maximum length of the header, which lists all tables and days.
    private static final int MAX_HEADER_BYTES = 8 << 20;

    private final ChecksummedInput file;
    private final int format;
    private final DataFileHeader header;
    private final DataInputStream records;
    private final TableRows rows = new TableRows();
    private int tables;

    private DataFileReader(
            ChecksummedInput file, int format, DataFileHeader header, DataInputStream records) {
        this.file = file;
        this.format = format;
        this.header = header;
        this.records = records;
    }

    /// Reads the header.
    ///
    /// @throws DataFileException if `in` is not a data file, has a format that this version cannot
    ///   read, or has a damaged header
    public static DataFileReader open(InputStream in) throws IOException {
        var file = new ChecksummedInput(in);
        int format = format(new String(line(file, DataFileFormat.NAME.length() + 10), UTF_8));
        var header = DataFileHeader.parse(line(file, MAX_HEADER_BYTES));
        var rows = reading(() -> new GZIPInputStream(file, DataFileFormat.BUFFER_BYTES));
        return new DataFileReader(file, format, header, new DataInputStream(rows));
    }

    private static int format(String firstLine) {
        if (!firstLine.startsWith(DataFileFormat.NAME)) {
            throw new DataFileException("The file was not made by export-data. Name one that was.");
        }
        for (int format = 1; format <= DataFileFormat.NUMBER; format++) {
            if (firstLine.equals(DataFileFormat.NAME + format)) {
                return format;
            }
        }
        throw new DataFileException(
                "The file has a format that this version cannot read. Import it with the version of"
                        + " Sluice that wrote it, or a later one.");
    }

    /// Returns the bytes before the next line break, but at most `limit`.
    private static byte[] line(InputStream in, int limit) throws IOException {
        var line = new ByteArrayOutputStream();
        int next;
        while ((next = in.read()) >= 0 && next != '\n' && line.size() < limit) {
            line.write(next);
        }
        return line.toByteArray();
    }

    /// Reads a whole file and checks its checksum.
    ///
    /// @throws DataFileException if the file is damaged or truncated
    public static void verify(InputStream in) throws IOException {
        if (!new ChecksummedInput(in).isIntact()) {
            throw damaged();
        }
    }

    /// Returns the number of the file's format. Format 1 differs from the present one only in what
    /// its `schema_version` counts.
    public int format() {
        return format;
    }

    public DataFileHeader header() {
        return header;
    }

    /// Returns the name of the next table, or empty after the last table.
    public Optional<String> nextTable() throws IOException {
        return reading(() -> {
            int kind = records.readUnsignedByte();
            if (kind == DataFileFormat.FILE_END && records.readInt() == tables) {
                return Optional.empty();
            }
            if (kind != DataFileFormat.TABLE) {
                throw damaged();
            }
            tables++;
            rows.begin();
            return Optional.of(records.readUTF());
        });
    }

    /// Returns the rows of the table that `nextTable` returned last, in COPY's binary format.
    public InputStream rows() {
        return rows;
    }

    /// Returns the current table's row count, as recorded in the file. The caller must first read
    /// all of the table's rows.
    public long rowCount() throws IOException {
        if (rows.read() >= 0) {
            throw damaged();
        }
        return reading(records::readLong);
    }

    /// Reads the end of the file and checks the checksum.
    ///
    /// @throws DataFileException if the file is damaged or truncated
    public void end() throws IOException {
        boolean isAtEnd = reading(() -> records.read() < 0);
        if (!isAtEnd || !file.isIntact()) {
            throw damaged();
        }
    }

    private static DataFileException damaged() {
        return new DataFileException(
                "The file is damaged, or it was cut: its checksum is wrong. Fetch it again, or use"
                        + " another one.");
    }

    private interface FileRead<T> {
        T read() throws IOException;
    }

    /// Runs a read, and turns exceptions that indicate a damaged file into a [DataFileException].
    /// Other exceptions, such as a disk error, are thrown unchanged.
    private static <T> T reading(FileRead<T> read) throws IOException {
        try {
            return read.read();
        } catch (EOFException | ZipException | UTFDataFormatException e) {
            throw damaged();
        }
    }

    /// The rows of the current table, read piece by piece.
    private final class TableRows extends BlockInput {

        private int left;
        private boolean isAtEnd = true;

        void begin() {
            left = 0;
            isAtEnd = false;
        }

        @Override
        public int read(byte @Nullable [] target, int offset, int length) throws IOException {
            if (length == 0) {
                return 0;
            }
            while (left == 0) {
                if (isAtEnd || !reading(this::nextPiece)) {
                    isAtEnd = true;
                    return -1;
                }
            }
            int taken =
                    reading(() -> {
                        int read = records.read(target, offset, Math.min(length, left));
                        if (read < 0) {
                            throw damaged();
                        }
                        return read;
                    });
            left -= taken;
            return taken;
        }

        /// Starts the next piece. Returns false at the end of the table.
        private boolean nextPiece() throws IOException {
            int kind = records.readUnsignedByte();
            if (kind == DataFileFormat.TABLE_END) {
                return false;
            }
            left = kind == DataFileFormat.ROWS ? records.readInt() : -1;
            if (left < 0 || left > DataFileFormat.BUFFER_BYTES) {
                throw damaged();
            }
            return true;
        }
    }
}
