package dev.sluice.engine.node;

import dev.sluice.engine.InFlightRecorder;
import dev.sluice.engine.InterruptedAttempt;
import dev.sluice.engine.UnfinishedDelivery;
import dev.sluice.platform.secret.PrivateFile;

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
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;

/// Records the attempts in flight in a memory-mapped file that has one slot for each attempt.
///
/// The written data survives if the process is killed or the Java virtual machine crashes, and
/// writing needs no system call. If the file can no longer be written, attempts continue without
/// being recorded, so they are not counted if the process dies. Thread-safe.
public final class MappedInFlightRecorder implements InFlightRecorder {

    private static final Logger log = LoggerFactory.getLogger(MappedInFlightRecorder.class);

    private final Path path;

    /// The mapped file. It is unmapped only by the garbage collector, because attempts may still
    /// use it after `close`.
    private final MemorySegment memory;

    private final SlotAllocator free = new SlotAllocator(InFlightFileFormat.SLOT_COUNT);
    private final AtomicBoolean isFaulty = new AtomicBoolean();

    /// The attempt that is recorded as the only one in flight, or null if there is none. Both this
    /// field and that attempt's slot are written under the monitor.
    private volatile @Nullable IsolatedAttempt isolated;

    /// Whether isolation is in force (see [#beginIsolation]). Only then can an attempt be recorded
    /// as the only one in flight. Guarded by the monitor.
    private boolean isIsolated;

    private record IsolatedAttempt(int slot, UnfinishedDelivery delivery, long epoch) {}

    private MappedInFlightRecorder(Path path, MemorySegment memory) {
        this.path = path;
        this.memory = memory;
    }

    /// Returns the attempts that were in flight when the process that wrote this file died. Returns
    /// an empty list if the file is missing, is unreadable or belongs to another home.
    ///
    /// @param home identifies the data directory and the current boot of the machine
    public static List<InterruptedAttempt> traces(Path path, UUID home) {
        return InFlightFileFormat.read(path, home);
    }

    /// Creates a file whose slots are all free, replacing any existing file, and returns a recorder
    /// that writes to it.
    ///
    /// @throws IOException if the file cannot be created, or if the file system does not support
    ///   memory-mapped files
    public static MappedInFlightRecorder create(Path path, UUID home) throws IOException {
        // A new file replaces the old one, because a process that is about to end may still have
        // the old file mapped.
        var fresh = path.resolveSibling(path.getFileName() + ".new");
        try (var channel =
                PrivateFile.open(
                        fresh,
                        Set.of(
                                StandardOpenOption.CREATE,
                                StandardOpenOption.TRUNCATE_EXISTING,
                                StandardOpenOption.READ,
                                StandardOpenOption.WRITE))) {
            var bytes =
                    ByteBuffer.wrap(
                            InFlightFileFormat.emptyFile(
                                    home)); // writing it allocates its disk space
            while (bytes.hasRemaining()) {
                channel.write(bytes);
            }
            var memory =
                    channel.map(
                            FileChannel.MapMode.READ_WRITE,
                            0,
                            InFlightFileFormat.FILE_BYTES,
                            Arena.ofAuto());
            Files.move(fresh, path, StandardCopyOption.REPLACE_EXISTING);
            return new MappedInFlightRecorder(path, memory);
        } catch (UnsupportedOperationException e) {
            throw new IOException(e);
        }
    }

    @Override
    public int recordStart(UnfinishedDelivery delivery, long epoch, boolean isAlone) {
        int slot = free.allocate();
        if (slot != SlotAllocator.NO_SLOT) {
            if (isAlone) {
                enterAlone(new IsolatedAttempt(slot, delivery, epoch));
            } else {
                write(slot, delivery, epoch, false);
            }
        }
        return slot;
    }

    private synchronized void enterAlone(IsolatedAttempt entering) {
        if (isIsolated) {
            isolated = entering;
        }
        write(entering.slot(), entering.delivery(), entering.epoch(), isIsolated);
    }

    private void write(int slot, UnfinishedDelivery delivery, long epoch, boolean isAlone) {
        try {
            InFlightFileFormat.write(
                    memory,
                    slot,
                    delivery.id().value(),
                    delivery.source().value(),
                    epoch,
                    InFlightFileFormat.packedAttempt(delivery.attempts(), isAlone));
        } catch (InternalError e) {
            // The virtual machine throws this when a page of the file is no longer accessible.
            if (!isFaulty.getAndSet(true)) {
                log.atWarn().setCause(e).log("in_flight_file.write_failed");
            }
        }
    }

    @Override
    public void recordEnd(int slot) {
        if (slot == SlotAllocator.NO_SLOT) {
            return;
        }
        @Nullable IsolatedAttempt alone = isolated;
        if (alone != null && alone.slot() == slot) {
            endIsolation();
        }
        clear(slot);
        free.release(slot);
    }

    private void clear(int slot) {
        try {
            InFlightFileFormat.clear(memory, slot);
        } catch (InternalError e) {
            isFaulty.set(true);
        }
    }

    @Override
    public synchronized void beginIsolation() {
        isIsolated = true;
    }

    @Override
    public synchronized void endIsolation() {
        isIsolated = false;
        @Nullable IsolatedAttempt left = isolated;
        if (left != null) {
            write(left.slot(), left.delivery(), left.epoch(), false);
            isolated = null;
        }
    }

    /// Deletes the file. The mapped memory stays valid for attempts that are still in flight.
    @Override
    public void close() {
        try {
            Files.deleteIfExists(path);
        } catch (IOException e) {
            log.atWarn().setCause(e).log("in_flight_file.delete_failed");
        }
    }
}
