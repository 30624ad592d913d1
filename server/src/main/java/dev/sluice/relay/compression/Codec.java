package dev.sluice.relay.compression;

/// Native contexts that compress or decompress. Only one thread at a time may use a codec.
sealed interface Codec extends AutoCloseable permits FrameCompressor, FrameDecompressor {

    /// Frees the contexts. The codec must not be used afterwards.
    @Override
    void close();
}
