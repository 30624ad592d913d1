package dev.sluice.relay.wire;

import dev.sluice.relay.OnTheWire;
import dev.sluice.relay.WireTrace;
import dev.sluice.relay.Work;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;

/// What is on the wire, in a file that is mapped into memory: what was written stays when the
/// process is killed or the virtual machine crashes, and no write is a system call.
///
/// A slot for each attempt under way. Whatever goes wrong with the file, attempts go on; then
/// nothing is known of them, and unknown counts nothing.
public final class WireSlots implements OnTheWire {

    private static final Logger log = LoggerFactory.getLogger(WireSlots.class);

    private static final Path BOOT_ID = Path.of("/proc/sys/kernel/random/boot_id");
    private static final UUID NOWHERE = new UUID(0, 0);

    private final Path path;

    /// Goes with the last who uses it: attempts may outlive the stop.
    private final MemorySegment memory;

    private final FreeSlots free = new FreeSlots(WireFile.SLOTS);
    private final AtomicBoolean isFaulty = new AtomicBoolean();

    /// Who is alone on the wire. Set, and its slot written, under the monitor.
    private volatile @Nullable Lonely lonely;

    /// Guarded by the monitor.
    private boolean isSolitude;

    private record Lonely(int slot, Work work, long epoch) {}

    private WireSlots(Path path, MemorySegment memory) {
        this.path = path;
        this.memory = memory;
    }

    /// Tells this start of the machine from others; the same for all where the system has no such
    /// thing.
    public static UUID boot() {
        try {
            return UUID.fromString(Files.readString(BOOT_ID).strip());
        } catch (IOException | IllegalArgumentException e) {
            return NOWHERE;
        }
    }

    /// What was on the wire when the process died that had this file before; nothing where that is
    /// not known for sure.
    ///
    /// @param boot this start of the machine's
    public static List<WireTrace> traces(Path path, UUID boot) {
        return WireFile.read(path, boot);
    }

    /// Begins anew in the place of what was there.
    ///
    /// @throws IOException also where the file system cannot map files
    public static WireSlots create(Path path, UUID boot) throws IOException {
        // Another file under the same name: the one before may still be mapped by who left it.
        var fresh = path.resolveSibling(path.getFileName() + ".new");
        try (var channel =
                FileChannel.open(
                        fresh,
                        StandardOpenOption.CREATE,
                        StandardOpenOption.TRUNCATE_EXISTING,
                        StandardOpenOption.READ,
                        StandardOpenOption.WRITE)) {
            var bytes = ByteBuffer.wrap(WireFile.fresh(boot)); // written, so that it has its place
            while (bytes.hasRemaining()) {
                channel.write(bytes);
            }
            var memory =
                    channel.map(FileChannel.MapMode.READ_WRITE, 0, WireFile.SIZE, Arena.ofAuto());
            Files.move(fresh, path, StandardCopyOption.REPLACE_EXISTING);
            return new WireSlots(path, memory);
        } catch (UnsupportedOperationException e) {
            throw new IOException(e);
        }
    }

    @Override
    public int enter(Work work, long epoch, boolean isAlone) {
        int slot = free.take();
        if (slot != FreeSlots.NONE) {
            if (isAlone) {
                enterAlone(new Lonely(slot, work, epoch));
            } else {
                write(slot, work, epoch, false);
            }
        }
        return slot;
    }

    private synchronized void enterAlone(Lonely entering) {
        if (isSolitude) {
            lonely = entering;
        }
        write(entering.slot(), entering.work(), entering.epoch(), isSolitude);
    }

    private void write(int slot, Work work, long epoch, boolean isAlone) {
        try {
            WireFile.write(
                    memory,
                    slot,
                    work.id().value(),
                    work.source().value(),
                    epoch,
                    WireFile.turn(work.attempts(), isAlone));
        } catch (InternalError e) {
            // So the virtual machine says that a page of the file is not to be had any more.
            if (!isFaulty.getAndSet(true)) {
                log.atWarn().setCause(e).log("wire.unwritable");
            }
        }
    }

    @Override
    public void leave(int slot) {
        if (slot == FreeSlots.NONE) {
            return;
        }
        @Nullable Lonely alone = lonely;
        if (alone != null && alone.slot() == slot) {
            endSolitude();
        }
        clear(slot);
        free.giveBack(slot);
    }

    private void clear(int slot) {
        try {
            WireFile.clear(memory, slot);
        } catch (InternalError e) {
            isFaulty.set(true);
        }
    }

    @Override
    public synchronized void beginSolitude() {
        isSolitude = true;
    }

    @Override
    public synchronized void endSolitude() {
        isSolitude = false;
        @Nullable Lonely left = lonely;
        if (left != null) {
            write(left.slot(), left.work(), left.epoch(), false);
            lonely = null;
        }
    }

    /// Removes the file. Its memory stays for those who are on the wire still.
    @Override
    public void close() {
        try {
            Files.deleteIfExists(path);
        } catch (IOException e) {
            log.atWarn().setCause(e).log("wire.not_removed");
        }
    }
}
