package dev.sluice.relay.compression;

/// Native contexts with which one thread at a time compresses or decompresses.
sealed interface Codec extends AutoCloseable permits FrameCompressor, FrameDecompressor {

    /// Frees the contexts. The codec must not be used afterwards.
    @Override
    void close();
}
