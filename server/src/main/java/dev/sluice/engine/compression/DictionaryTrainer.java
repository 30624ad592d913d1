package dev.sluice.engine.compression;

import com.github.luben.zstd.ZstdDictCompress;

import dev.sluice.account.workspace.WorkspaceId;
import dev.sluice.engine.PayloadDecoder;
import dev.sluice.engine.StoredPayload;
import dev.sluice.engine.share.RoundRobin;
import dev.sluice.gateway.source.SourceId;
import dev.sluice.platform.db.Db;
import dev.sluice.platform.db.DbException;
import dev.sluice.platform.loop.Loop;
import dev.sluice.platform.loop.Pause;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// Makes dictionaries for the sources that send events to this node, and gives the encoder the
/// current dictionaries of these sources.
///
/// After a source has sent a few hundred small events, the trainer makes a dictionary for it. The
/// trainer keeps the dictionary only if it makes the events clearly smaller. If it does not, the
/// trainer tries again after ten times as many events. Once a source's dictionary is a day old,
/// each node compares it with a newly made one at most once a day. A restart of the node resets
/// this limit. A damaged dictionary is due for replacement immediately. Each round makes at most
/// one dictionary. Sources without a dictionary are served first, and workspaces take turns.
///
/// A dictionary is committed before the encoder gets it, so no event can refer to a dictionary that
/// is not in the database.
public final class DictionaryTrainer implements Loop.Step {

    public static final Duration ROUND_INTERVAL = Duration.ofSeconds(15);

    /// How often the current dictionary of an active source is looked up in the database, in case
    /// another node has replaced it.
    private static final Duration REFRESH_INTERVAL = Duration.ofMinutes(1);

    /// The maximum time that a dictionary is used without checking the database. This is far
    /// shorter than the 24 hours that pass before a retired dictionary counts as unused.
    private static final Duration USE_TIMEOUT = Duration.ofMinutes(15);

    /// The minimum time between two training runs on this node.
    private static final Duration TRAINING_INTERVAL = Duration.ofSeconds(10);

    /// The minimum age of an undamaged dictionary before a node tries to replace it. Also the
    /// minimum time between two such tries.
    private static final Duration REPLACEMENT_INTERVAL = Duration.ofDays(1);

    /// The maximum number of sources whose dictionaries are loaded for compression. Each dictionary
    /// takes about 50 KB.
    private static final int MAX_LOADED = 512;

    private static final Logger log = LoggerFactory.getLogger(DictionaryTrainer.class);

    /// A source that has sent events since the last round.
    private record ActiveSource(SourceId id, SourceTraffic traffic, long newEvents) {}

    private final Db db;
    private final PayloadEncoder encoder;
    private final PayloadDecoder decoder;
    private final Function<SourceId, Optional<WorkspaceId>> workspaceOf;
    private final InstantSource clock;

    /// The current dictionaries as of the last database query.
    private final Map<SourceId, Dictionary> current = new HashMap<>();

    /// The queues of sources that are due for a dictionary: `firsts` for their first one, `others`
    /// for a replacement. A queued source may no longer be due.
    private final RoundRobin<WorkspaceId, SourceId> firsts = new RoundRobin<>();

    private final RoundRobin<WorkspaceId, SourceId> others = new RoundRobin<>();

    private Pause trainingPause = Pause.NONE;

    /// @param workspaceOf returns the workspace of a source, or empty if the source does not exist
    ///   or is in the trash
    public DictionaryTrainer(
            Db db,
            PayloadEncoder encoder,
            PayloadDecoder decoder,
            Function<SourceId, Optional<WorkspaceId>> workspaceOf,
            InstantSource clock) {
        this.db = db;
        this.encoder = encoder;
        this.decoder = decoder;
        this.workspaceOf = workspaceOf;
        this.clock = clock;
    }

    @Override
    public boolean run() {
        var now = clock.instant();
        var active = activeSources();
        refresh(active, now);
        if (trainingPause.isOver(now)) {
            lineUp(now);
            next(firsts, now)
                    .or(() -> next(others, now))
                    .ifPresent(source -> train(source, trafficOf(source), now));
        }
        return false;
    }

    /// Adds each source that is due for a dictionary to `firsts` or `others`.
    private void lineUp(Instant now) {
        encoder.traffic()
                .forEach((source, traffic) -> {
                    if (isDue(source, traffic, now)) {
                        var line = current.containsKey(source) ? others : firsts;
                        workspaceOf
                                .apply(source)
                                .ifPresent(workspace -> line.add(workspace, source));
                    }
                });
    }

    /// Removes sources from the queue until it finds one that is still due for a dictionary, and
    /// returns that source. Returns empty if there is none.
    private Optional<SourceId> next(RoundRobin<WorkspaceId, SourceId> line, Instant now) {
        var next = line.poll();
        while (next.isPresent() && !isStillDue(next.get(), now)) {
            next = line.poll();
        }
        return next;
    }

    private boolean isStillDue(SourceId source, Instant now) {
        var traffic = encoder.traffic().get(source);
        return traffic != null && isDue(source, traffic, now);
    }

    private SourceTraffic trafficOf(SourceId source) {
        return Objects.requireNonNull(encoder.traffic().get(source));
    }

    /// Returns the sources that have sent events since the last round. The list takes one source
    /// from each workspace in turn, starting with each workspace's busiest source. Also forgets
    /// inactive sources that no longer exist or are in the trash.
    private List<ActiveSource> activeSources() {
        var active = new ArrayList<ActiveSource>();
        var all = encoder.traffic().entrySet().iterator();
        while (all.hasNext()) {
            var entry = all.next();
            var traffic = entry.getValue();
            long newEvents = traffic.newEvents();
            if (newEvents > 0) {
                active.add(new ActiveSource(entry.getKey(), traffic, newEvents));
            } else if (workspaceOf.apply(entry.getKey()).isEmpty()) {
                all.remove();
                traffic.setDictionary(null);
                current.remove(entry.getKey());
            }
        }
        active.sort(Comparator.comparingLong(ActiveSource::newEvents).reversed());
        return inTurn(active);
    }

    private List<ActiveSource> inTurn(List<ActiveSource> active) {
        var turns = new RoundRobin<WorkspaceId, ActiveSource>();
        active.forEach(source ->
                workspaceOf
                        .apply(source.id())
                        .ifPresent(workspace -> turns.add(workspace, source)));
        return Stream.generate(turns::poll)
                .takeWhile(Optional::isPresent)
                .flatMap(Optional::stream)
                .toList();
    }

    /// Looks up the current dictionaries of the active sources that are due for a refresh. Loads a
    /// source's dictionary if it has changed and the source is among the first [#MAX_LOADED] active
    /// ones. Unloads replaced and surplus dictionaries.
    private void refresh(List<ActiveSource> active, Instant now) {
        var due =
                active.stream()
                        .filter(source -> source.traffic().refreshPause().isOver(now))
                        .limit(MAX_LOADED)
                        .toList();
        if (due.isEmpty()) {
            return;
        }
        var mayBeLoaded =
                active.stream()
                        .limit(MAX_LOADED)
                        .map(ActiveSource::traffic)
                        .collect(Collectors.toSet());
        long begun = System.nanoTime();
        var found =
                db.call(tx ->
                        DictionaryStore.current(tx, due.stream().map(ActiveSource::id).toList()));
        for (var source : due) {
            var dictionary = found.get(source.id());
            if (dictionary == null) {
                current.remove(source.id());
                source.traffic().setDictionary(null);
            } else {
                current.put(source.id(), dictionary);
                if (mayBeLoaded.contains(source.traffic())) {
                    load(source, dictionary);
                } else if (source.traffic().dictionaryNumber() != dictionary.number()) {
                    source.traffic().setDictionary(null);
                }
            }
            source.traffic().setUsable(begun, now, USE_TIMEOUT);
            source.traffic().setRefreshPause(Pause.of(now, REFRESH_INTERVAL));
        }
        unloadOthers(mayBeLoaded);
    }

    private void load(ActiveSource source, Dictionary dictionary) {
        if (source.traffic().dictionaryNumber() == dictionary.number()) {
            return;
        }
        source.traffic().setDictionary(null);
        try {
            byte[] bytes = db.call(tx -> DictionaryStore.bytes(tx, dictionary.number()));
            source.traffic().setDictionary(shared(dictionary.number(), bytes));
            source.traffic().setDamaged(false);
        } catch (RuntimeException e) {
            if (e instanceof DbException refused && !refused.isUnreadableValue()) {
                throw e;
            }
            source.traffic().setDamaged(true);
            log.atError()
                    .addKeyValue("source_id", source.id())
                    .addKeyValue("dictionary", dictionary.number())
                    .setCause(e)
                    .log("dictionary.read_failed");
        }
    }

    private static SharedDictionary<ZstdDictCompress> shared(int number, byte[] bytes) {
        return new SharedDictionary<>(number, new ZstdDictCompress(bytes, FrameCompressor.LEVEL));
    }

    /// Unloads dictionaries if too many are loaded, starting with those of sources that have sent
    /// nothing recently.
    ///
    /// @param wanted the sources whose dictionaries are unloaded last
    private void unloadOthers(Set<SourceTraffic> wanted) {
        var loaded =
                encoder.traffic().values().stream()
                        .filter(traffic -> traffic.dictionaryNumber() != StoredPayload.PLAIN)
                        .sorted(
                                Comparator.comparing(
                                                (SourceTraffic traffic) -> wanted.contains(traffic))
                                        .thenComparing(traffic -> traffic.refreshPause().from()))
                        .toList();
        loaded.stream()
                .limit(Math.max(0, loaded.size() - MAX_LOADED))
                .forEach(traffic -> {
                    traffic.setDictionary(null);
                    traffic.setRefreshPause(Pause.NONE);
                });
    }

    private boolean isDue(SourceId source, SourceTraffic traffic, Instant now) {
        if (!traffic.hasEnoughEvents() || !traffic.isLookedUp()) {
            return false;
        }
        var dictionary = current.get(source);
        var before = now.minus(REPLACEMENT_INTERVAL);
        return dictionary == null
                || traffic.isDamaged()
                || (dictionary.createdAt().isBefore(before) && traffic.triedAt().isBefore(before));
    }

    private void train(SourceId source, SourceTraffic traffic, Instant now) {
        trainingPause = Pause.of(now, TRAINING_INTERVAL);
        // The training run is recorded before it starts, so that it counts even if it fails. A
        // source whose runs fail therefore cannot keep the others from getting a turn.
        traffic.tried(now, current.containsKey(source));
        var samples = db.call(tx -> SampleQueries.newest(tx, decoder, source));
        var candidate =
                DictionaryCandidate.train(samples).filter(one -> isWorthwhile(one, traffic));
        candidate.ifPresent(better -> replace(source, traffic, better.bytes(), now));
    }

    private boolean isWorthwhile(DictionaryCandidate candidate, SourceTraffic traffic) {
        var inUse = traffic.acquire();
        try {
            return candidate.isWorthwhile(encoder, dictionaryOf(inUse));
        } finally {
            if (inUse != null) {
                inUse.release();
            }
        }
    }

    private static @Nullable ZstdDictCompress dictionaryOf(
            @Nullable SharedDictionary<ZstdDictCompress> shared) {
        return shared == null ? null : shared.dictionary();
    }

    private void replace(SourceId source, SourceTraffic traffic, byte[] bytes, Instant now) {
        var former = Optional.ofNullable(current.get(source));
        long begun = System.nanoTime();
        var number = db.call(tx -> DictionaryStore.add(tx, source, bytes, former));
        // If a number was returned, the dictionary is now committed and flushed to disk.
        if (number.isPresent()) {
            traffic.tried(now, true);
            current.put(source, new Dictionary(number.get(), now));
            traffic.setDictionary(shared(number.get(), bytes));
            traffic.setDamaged(false);
            traffic.setUsable(begun, now, USE_TIMEOUT);
            traffic.setRefreshPause(Pause.of(now, REFRESH_INTERVAL));
            log.atInfo()
                    .addKeyValue("source_id", source)
                    .addKeyValue("dictionary", number.get())
                    .addKeyValue("bytes", bytes.length)
                    .log("dictionary.trained");
        } else {
            traffic.setRefreshPause(Pause.NONE);
        }
    }
}
