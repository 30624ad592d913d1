package dev.sluice.platform.datafile;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.security.DigestOutputStream;
import java.util.function.LongConsumer;
import java.util.zip.Deflater;
import java.util.zip.GZIPOutputStream;

/// Writes a data file from its header to its checksum. Keeps at most one piece of up to 64 KiB in
/// memory at a time. Not thread-safe.
public final class DataFileWriter {

    private final OutputStream out;
    private final DigestOutputStream digested;
    private final GZIPOutputStream compressed;
    private final DataOutputStream records;
    private final byte[] buffer = new byte[DataFileFormat.BUFFER_BYTES];
    private int tables;

    /// @param out receives the file; the caller closes it
    public DataFileWriter(OutputStream out, DataFileHeader header) throws IOException {
        this.out = out;
        this.digested = new DigestOutputStream(out, DataFileFormat.newDigest());
        digested.write((DataFileFormat.NAME + DataFileFormat.NUMBER + "\n").getBytes(UTF_8));
        digested.write(header.json());
        digested.write('\n');
        this.compressed = new FastGzip(digested);
        this.records = new DataOutputStream(compressed);
    }

    public void beginTable(String name) throws IOException {
        records.writeByte(DataFileFormat.TABLE);
        records.writeUTF(name);
    }

    /// Writes rows of the current table. The rows are in COPY's binary format.
    ///
    /// @param onPiece receives the size of each piece, in bytes, after the piece has been written
    public void rows(InputStream copyData, LongConsumer onPiece) throws IOException {
        int length;
        while ((length = copyData.readNBytes(buffer, 0, buffer.length)) > 0) {
            records.writeByte(DataFileFormat.ROWS);
            records.writeInt(length);
            records.write(buffer, 0, length);
            onPiece.accept(length);
        }
    }

    /// @param rows the number of rows that the file contains for the table
    public void endTable(long rows) throws IOException {
        records.writeByte(DataFileFormat.TABLE_END);
        records.writeLong(rows);
        tables++;
    }

    /// Writes the end of the file and its checksum, and flushes the stream.
    public void finish() throws IOException {
        records.writeByte(DataFileFormat.FILE_END);
        records.writeInt(tables);
        compressed.finish();
        out.write(DataFileFormat.trailer(digested.getMessageDigest()));
        out.flush();
    }

    /// Compresses at the fastest level, because the default level cannot keep up with the rate at
    /// which the database delivers rows.
    private static final class FastGzip extends GZIPOutputStream {

        FastGzip(OutputStream out) throws IOException {
            super(out, DataFileFormat.BUFFER_BYTES);
            def.setLevel(Deflater.BEST_SPEED);
        }
    }
}
