package dev.sluice.engine.compression;

import com.github.luben.zstd.Zstd;
import com.github.luben.zstd.ZstdDictCompress;

import dev.sluice.engine.Payload;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/// A dictionary trained on some of a source's samples, together with the held-out samples that are
/// used to measure its benefit.
final class DictionaryCandidate {

    private static final int MAX_DICTIONARY_BYTES = 16 << 10;

    /// The minimum number of samples needed to make a dictionary.
    private static final int MIN_SAMPLES = 100;

    /// One in this many samples is held out.
    private static final int HELD_OUT_SHARE = 4;

    /// A dictionary is worthwhile only if it compresses the held-out samples to at most this
    /// fraction of the size that they would otherwise have.
    private static final double WORTHWHILE_FRACTION = 0.85;

    private final byte[] bytes;
    private final List<Payload> heldOut;

    private DictionaryCandidate(byte[] bytes, List<Payload> heldOut) {
        this.bytes = bytes;
        this.heldOut = heldOut;
    }

    /// Makes a dictionary from three quarters of the samples and holds out the rest. Returns empty
    /// if there are too few samples, or if zstd cannot make a dictionary from them, for example
    /// because they have nothing in common.
    static Optional<DictionaryCandidate> train(List<Payload> samples) {
        if (samples.size() < MIN_SAMPLES) {
            return Optional.empty();
        }
        var used = new ArrayList<byte[]>();
        var heldOut = new ArrayList<Payload>();
        for (int i = 0; i < samples.size(); i++) {
            if (i % HELD_OUT_SHARE == 0) {
                heldOut.add(samples.get(i));
            } else {
                used.add(FrameContent.of(samples.get(i)));
            }
        }
        byte[] target = new byte[MAX_DICTIONARY_BYTES];
        long size = Zstd.trainFromBuffer(used.toArray(new byte[0][]), target);
        return Zstd.isError(size)
                ? Optional.empty()
                : Optional.of(
                        new DictionaryCandidate(
                                Arrays.copyOf(target, Math.toIntExact(size)), heldOut));
    }

    byte[] bytes() {
        return bytes;
    }

    /// Whether the held-out samples compress to clearly fewer bytes with this dictionary than with
    /// no dictionary or with the current one.
    ///
    /// @param current null if the source has no dictionary
    boolean isWorthwhile(PayloadEncoder encoder, @Nullable ZstdDictCompress current) {
        long others = encoder.storedBytes(heldOut, null);
        if (current != null) {
            others = Math.min(others, encoder.storedBytes(heldOut, current));
        }
        try (var fresh = new ZstdDictCompress(bytes, FrameCompressor.LEVEL)) {
            return encoder.storedBytes(heldOut, fresh) <= others * WORTHWHILE_FRACTION;
        }
    }
}
