package dev.sluice.engine.node;

import dev.sluice.engine.DeliveryId;
import dev.sluice.engine.InFlightRecorder;
import dev.sluice.engine.InterruptedAttempt;
import dev.sluice.gateway.source.SourceId;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/// The binary layout of the in-flight file: a header and 24,576 slots, 64 bytes each. Every field
/// is an 8-byte number in the machine's byte order. A file with fewer slots, written by an older
/// version of Sluice, can also be read.
///
/// | header | slot |
/// | --- | --- |
/// | magic | check word; 0 while the slot is free |
/// | format | delivery id, two numbers |
/// | home, two numbers | source id, two numbers |
/// | check word | epoch |
/// | zeros | number of earlier attempts, times two; plus one if alone |
///
/// A home is a data directory together with the current boot of its machine. Only a process with
/// the same home reads the attempts in a file. If the homes match, the file contains everything
/// that the dead process wrote, up to its last instruction. A file from another home is not
/// trusted, for two reasons: after a power loss, it is unknown how much of the file reached the
/// disk; and if the directory is a copy, the process that wrote the file may still be alive.
final class InFlightFileFormat {

    private static final Logger log = LoggerFactory.getLogger(InFlightFileFormat.class);

    static final int SLOT_COUNT = InFlightRecorder.MAX_ATTEMPTS;
    static final int SLOT_BYTES = 64;
    static final int FILE_BYTES = SLOT_BYTES * (1 + SLOT_COUNT);

    private static final long MAGIC = 0x534c_5549_4345_5752L;
    private static final long FORMAT_VERSION = 1;

    private static final ValueLayout.OfLong LONG_LAYOUT = ValueLayout.JAVA_LONG;
    private static final VarHandle CHECK_WORD = LONG_LAYOUT.varHandle();

    private InFlightFileFormat() {}

    /// Returns the bytes of a file whose slots are all free.
    static byte[] emptyFile(UUID home) {
        byte[] bytes = new byte[FILE_BYTES];
        var header = MemorySegment.ofArray(bytes);
        header.set(ValueLayout.JAVA_LONG_UNALIGNED, 0, MAGIC);
        header.set(ValueLayout.JAVA_LONG_UNALIGNED, 8, FORMAT_VERSION);
        header.set(ValueLayout.JAVA_LONG_UNALIGNED, 16, home.getMostSignificantBits());
        header.set(ValueLayout.JAVA_LONG_UNALIGNED, 24, home.getLeastSignificantBits());
        header.set(ValueLayout.JAVA_LONG_UNALIGNED, 32, headerCheck(home));
        return bytes;
    }

    private static long headerCheck(UUID home) {
        return finalMix(
                mix(
                        mix(mix(MAGIC, FORMAT_VERSION), home.getMostSignificantBits()),
                        home.getLeastSignificantBits()));
    }

    /// Returns the attempts that were in flight when the process that wrote the file died, at most
    /// one for each delivery.
    ///
    /// Returns an empty list if the file is missing, cannot be read, is damaged, has another format
    /// or belongs to another home.
    static List<InterruptedAttempt> read(Path path, UUID home) {
        byte[] bytes;
        try {
            long size = Files.size(path);
            if (size > FILE_BYTES || size < SLOT_BYTES || size % SLOT_BYTES != 0) {
                log.atWarn().log("in_flight_file.read_failed");
                return List.of();
            }
            bytes = Files.readAllBytes(path);
        } catch (NoSuchFileException e) {
            return List.of();
        } catch (IOException e) {
            log.atWarn().setCause(e).log("in_flight_file.read_failed");
            return List.of();
        }
        var memory = MemorySegment.ofArray(bytes);
        boolean isOurs =
                readLong(memory, 0) == MAGIC
                        && readLong(memory, 8) == FORMAT_VERSION
                        && readLong(memory, 16) == home.getMostSignificantBits()
                        && readLong(memory, 24) == home.getLeastSignificantBits()
                        && readLong(memory, 32) == headerCheck(home);
        return isOurs ? readSlots(memory) : List.of();
    }

    /// Reads the slots, ignoring free and invalid ones. A delivery can have two attempts if the
    /// process was declared dead during the first one and then acquired the delivery again. Only
    /// the later attempt is kept, because the process died only once.
    private static List<InterruptedAttempt> readSlots(MemorySegment memory) {
        Map<DeliveryId, InterruptedAttempt> attempts = new HashMap<>();
        for (int slot = 0; offset(slot) < memory.byteSize(); slot++) {
            long at = offset(slot);
            long idHigh = readLong(memory, at + 8);
            long idLow = readLong(memory, at + 16);
            long sourceHigh = readLong(memory, at + 24);
            long sourceLow = readLong(memory, at + 32);
            long epoch = readLong(memory, at + 40);
            long packedAttempt = readLong(memory, at + 48);
            long check = readLong(memory, at);
            if (check != 0
                    && check == check(idHigh, idLow, sourceHigh, sourceLow, epoch, packedAttempt)) {
                var interruptedAttempt =
                        new InterruptedAttempt(
                                new DeliveryId(new UUID(idHigh, idLow)),
                                new SourceId(new UUID(sourceHigh, sourceLow)),
                                (int) (packedAttempt >> 1),
                                epoch,
                                (packedAttempt & 1) == 1);
                attempts.merge(
                        interruptedAttempt.delivery(),
                        interruptedAttempt,
                        (one, other) -> one.epoch() > other.epoch() ? one : other);
            }
        }
        return new ArrayList<>(attempts.values());
    }

    private static long readLong(MemorySegment memory, long at) {
        return memory.get(ValueLayout.JAVA_LONG_UNALIGNED, at);
    }

    private static long offset(int slot) {
        return (long) SLOT_BYTES * (1 + slot);
    }

    /// Writes an attempt into a slot, which may be free or in use. The check word is written last,
    /// so a slot that is only partly written does not match its check word and is ignored.
    static void write(
            MemorySegment memory, int slot, UUID id, UUID source, long epoch, long packedAttempt) {
        long at = offset(slot);
        long idHigh = id.getMostSignificantBits();
        long idLow = id.getLeastSignificantBits();
        long sourceHigh = source.getMostSignificantBits();
        long sourceLow = source.getLeastSignificantBits();
        memory.set(LONG_LAYOUT, at + 8, idHigh);
        memory.set(LONG_LAYOUT, at + 16, idLow);
        memory.set(LONG_LAYOUT, at + 24, sourceHigh);
        memory.set(LONG_LAYOUT, at + 32, sourceLow);
        memory.set(LONG_LAYOUT, at + 40, epoch);
        memory.set(LONG_LAYOUT, at + 48, packedAttempt);
        CHECK_WORD.setRelease(
                memory, at, check(idHigh, idLow, sourceHigh, sourceLow, epoch, packedAttempt));
    }

    static long packedAttempt(int attempts, boolean isAlone) {
        return (long) attempts << 1 | (isAlone ? 1 : 0);
    }

    static void clear(MemorySegment memory, int slot) {
        CHECK_WORD.setRelease(memory, offset(slot), 0L);
    }

    /// Returns a slot's check word, which is never 0.
    private static long check(
            long idHigh,
            long idLow,
            long sourceHigh,
            long sourceLow,
            long epoch,
            long packedAttempt) {
        long check =
                finalMix(
                        mix(
                                mix(
                                        mix(
                                                mix(mix(mix(MAGIC, idHigh), idLow), sourceHigh),
                                                sourceLow),
                                        epoch),
                                packedAttempt));
        return check == 0 ? 1 : check;
    }

    private static long mix(long state, long value) {
        return Long.rotateLeft((state ^ value) * 0x9e37_79b9_7f4a_7c15L, 27);
    }

    /// The final mixing step of the 64-bit MurmurHash3: each bit of the input affects each bit of
    /// the result.
    private static long finalMix(long mixed) {
        long end = (mixed ^ mixed >>> 33) * 0xff51_afd7_ed55_8ccdL;
        end = (end ^ end >>> 33) * 0xc4ce_b9fe_1a85_ec53L;
        return end ^ end >>> 33;
    }
}
