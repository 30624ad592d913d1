package dev.sluice.engine.compression;

/// A compressor or decompressor that uses native memory. Only one thread at a time may use a codec.
sealed interface Codec extends AutoCloseable permits FrameCompressor, FrameDecompressor {

    /// Frees the native memory. The codec must not be used afterwards.
    @Override
    void close();
}
