package dev.sluice.platform.datafile;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/// The constants that define the data file format.
final class DataFileFormat {

    /// The beginning of the first line. The format's number follows.
    static final String NAME = "SLUICE-DATA ";

    /// The number of the format that is written. It is raised whenever the format changes in a way
    /// that older versions cannot read. In format 1, `schema_version` counted the 38 migrations
    /// that one file has replaced.
    static final int NUMBER = 2;

    static final int TABLE = 'T';
    static final int ROWS = 'R';
    static final int TABLE_END = 'E';
    static final int FILE_END = 'Z';

    /// The length of the last line, which consists of the SHA-256 hash of all bytes before it, in
    /// hexadecimal digits, and a line break.
    static final int TRAILER_BYTES = 65;

    static final int BUFFER_BYTES = 64 * 1024;

    private DataFileFormat() {}

    static MessageDigest newDigest() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }

    static byte[] trailer(MessageDigest digest) {
        return (HexFormat.of().formatHex(digest.digest()) + "\n")
                .getBytes(StandardCharsets.US_ASCII);
    }
}
