package dev.sluice.relay.wire;

import dev.sluice.gateway.source.SourceId;
import dev.sluice.relay.DeliveryId;
import dev.sluice.relay.WireTrace;

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

/// The file's layout: a header and 1 024 slots, each 64 bytes, all of numbers of 8 bytes in the
/// machine's own order.
///
/// | header | slot |
/// | --- | --- |
/// | magic | check word; 0 while the slot is free |
/// | format | delivery id, two numbers |
/// | boot id, two numbers | source id, two numbers |
/// | check word | epoch |
/// | zeros | attempts made before, times two; plus one when alone |
///
/// It is read by the next life of the same data directory only, and only when the machine has not
/// been started in between: then it is what the process wrote, to the last instruction. After a
/// power loss nobody knows how much of it reached the disk.
final class WireFile {

    private static final Logger log = LoggerFactory.getLogger(WireFile.class);

    static final int SLOTS = 1_024;
    static final int UNIT = 64;
    static final int SIZE = UNIT * (1 + SLOTS);

    private static final long MAGIC = 0x534c_5549_4345_5752L;
    private static final long FORMAT = 1;

    private static final ValueLayout.OfLong NUMBER = ValueLayout.JAVA_LONG;
    private static final VarHandle CHECK = NUMBER.varHandle();

    private WireFile() {}

    /// Everything but the slots, which are free.
    static byte[] fresh(UUID boot) {
        byte[] bytes = new byte[SIZE];
        var header = MemorySegment.ofArray(bytes);
        header.set(ValueLayout.JAVA_LONG_UNALIGNED, 0, MAGIC);
        header.set(ValueLayout.JAVA_LONG_UNALIGNED, 8, FORMAT);
        header.set(ValueLayout.JAVA_LONG_UNALIGNED, 16, boot.getMostSignificantBits());
        header.set(ValueLayout.JAVA_LONG_UNALIGNED, 24, boot.getLeastSignificantBits());
        header.set(ValueLayout.JAVA_LONG_UNALIGNED, 32, headerCheck(boot));
        return bytes;
    }

    private static long headerCheck(UUID boot) {
        return ended(
                mixed(
                        mixed(mixed(MAGIC, FORMAT), boot.getMostSignificantBits()),
                        boot.getLeastSignificantBits()));
    }

    /// What the life before left in its slots, each delivery once. Nothing when that cannot be
    /// told: no such file, not ours, of another start of the machine, or damaged.
    static List<WireTrace> read(Path path, UUID boot) {
        byte[] bytes;
        try {
            if (Files.size(path) != SIZE) {
                log.atWarn().log("wire.unreadable");
                return List.of();
            }
            bytes = Files.readAllBytes(path);
        } catch (NoSuchFileException e) {
            return List.of();
        } catch (IOException e) {
            log.atWarn().setCause(e).log("wire.unreadable");
            return List.of();
        }
        var memory = MemorySegment.ofArray(bytes);
        boolean isOurs =
                number(memory, 0) == MAGIC
                        && number(memory, 8) == FORMAT
                        && number(memory, 16) == boot.getMostSignificantBits()
                        && number(memory, 24) == boot.getLeastSignificantBits()
                        && number(memory, 32) == headerCheck(boot);
        return isOurs ? traces(memory) : List.of();
    }

    /// Of a delivery that is there twice, because the process was declared dead during its first
    /// attempt and got it back, the later one: the process died once.
    private static List<WireTrace> traces(MemorySegment memory) {
        Map<DeliveryId, WireTrace> traces = new HashMap<>();
        for (int slot = 0; slot < SLOTS; slot++) {
            long at = at(slot);
            long idHigh = number(memory, at + 8);
            long idLow = number(memory, at + 16);
            long sourceHigh = number(memory, at + 24);
            long sourceLow = number(memory, at + 32);
            long epoch = number(memory, at + 40);
            long turn = number(memory, at + 48);
            long check = number(memory, at);
            if (check != 0 && check == check(idHigh, idLow, sourceHigh, sourceLow, epoch, turn)) {
                var trace =
                        new WireTrace(
                                new DeliveryId(new UUID(idHigh, idLow)),
                                new SourceId(new UUID(sourceHigh, sourceLow)),
                                (int) (turn >> 1),
                                epoch,
                                (turn & 1) == 1);
                traces.merge(
                        trace.delivery(),
                        trace,
                        (one, other) -> one.epoch() > other.epoch() ? one : other);
            }
        }
        return new ArrayList<>(traces.values());
    }

    private static long number(MemorySegment memory, long at) {
        return memory.get(ValueLayout.JAVA_LONG_UNALIGNED, at);
    }

    private static long at(int slot) {
        return (long) UNIT * (1 + slot);
    }

    /// Into a slot that is free: its check word last, so that a slot half written is none.
    static void write(MemorySegment memory, int slot, UUID id, UUID source, long epoch, long turn) {
        long at = at(slot);
        long idHigh = id.getMostSignificantBits();
        long idLow = id.getLeastSignificantBits();
        long sourceHigh = source.getMostSignificantBits();
        long sourceLow = source.getLeastSignificantBits();
        memory.set(NUMBER, at + 8, idHigh);
        memory.set(NUMBER, at + 16, idLow);
        memory.set(NUMBER, at + 24, sourceHigh);
        memory.set(NUMBER, at + 32, sourceLow);
        memory.set(NUMBER, at + 40, epoch);
        memory.set(NUMBER, at + 48, turn);
        CHECK.setRelease(memory, at, check(idHigh, idLow, sourceHigh, sourceLow, epoch, turn));
    }

    static long turn(int attempts, boolean isAlone) {
        return (long) attempts << 1 | (isAlone ? 1 : 0);
    }

    static void clear(MemorySegment memory, int slot) {
        CHECK.setRelease(memory, at(slot), 0L);
    }

    /// Never 0.
    private static long check(
            long idHigh, long idLow, long sourceHigh, long sourceLow, long epoch, long turn) {
        long check =
                ended(
                        mixed(
                                mixed(
                                        mixed(
                                                mixed(
                                                        mixed(mixed(MAGIC, idHigh), idLow),
                                                        sourceHigh),
                                                sourceLow),
                                        epoch),
                                turn));
        return check == 0 ? 1 : check;
    }

    private static long mixed(long so, long far) {
        return Long.rotateLeft((so ^ far) * 0x9e37_79b9_7f4a_7c15L, 27);
    }

    /// The end of a 64-bit MurmurHash3: each bit of the result depends on each of these.
    private static long ended(long mixed) {
        long end = (mixed ^ mixed >>> 33) * 0xff51_afd7_ed55_8ccdL;
        end = (end ^ end >>> 33) * 0xc4ce_b9fe_1a85_ec53L;
        return end ^ end >>> 33;
    }
}
