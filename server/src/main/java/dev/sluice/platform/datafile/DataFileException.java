package dev.sluice.platform.datafile;

/// Thrown when a file is not a data file, is damaged, or cannot be used in this installation. The
/// message is for the operator.
public final class DataFileException extends RuntimeException {

    public DataFileException(String message) {
        super(message);
    }
}
