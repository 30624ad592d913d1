package dev.sluice.observe.alerts;

import dev.sluice.observe.alerts.AlertQueries.NewsItem;
import dev.sluice.platform.db.Tx;

import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.stream.Collectors;

/// Gives each workspace a number of incidents. What has none of its own is counted in one incident
/// of its target, so that one workspace can neither fill the tables nor grow a transaction.
final class IncidentRoom {

    /// The maximum number of incidents of a workspace, without those of the rest.
    static final int MAX_INCIDENTS = 1_000;

    /// So a destination that has room is told to all its targets.
    private static final Comparator<AlertKey> DESTINATIONS_FIRST =
            Comparator.comparing(AlertKey::destination).thenComparing(AlertKey::target);

    private final Set<AlertKey> own;

    private IncidentRoom(Set<AlertKey> own) {
        this.own = own;
    }

    /// Reads which of these keys have an incident, and gives others one while there is room.
    static IncidentRoom forKeys(Tx tx, Collection<AlertKey> keys) {
        var own = new HashSet<>(AlertQueries.known(tx, keys));
        var missing = new TreeSet<>(DESTINATIONS_FIRST);
        keys.stream().filter(key -> !own.contains(key)).forEach(missing::add);
        if (!missing.isEmpty()) {
            var workspaces = missing.stream().map(AlertKey::workspace).collect(Collectors.toSet());
            Map<UUID, Integer> counts =
                    new HashMap<>(AlertQueries.incidentCounts(tx, workspaces, MAX_INCIDENTS));
            for (var key : missing) {
                if (counts.merge(key.workspace(), 1, Integer::sum) <= MAX_INCIDENTS) {
                    own.add(key);
                }
            }
        }
        return new IncidentRoom(own);
    }

    boolean has(AlertKey key) {
        return own.contains(key);
    }

    /// Returns the key itself, or the one of the rest if there is no room for it.
    AlertKey place(AlertKey key) {
        return has(key) ? key : key.rest();
    }

    /// Places news. Those of a destination itself are about the rest then.
    List<NewsItem> place(List<NewsItem> news) {
        return news.stream().map(this::placed).toList();
    }

    private NewsItem placed(NewsItem one) {
        var key = place(one.key());
        boolean isAboutDestination = one.source().equals(one.key().destination());
        return new NewsItem(
                key,
                isAboutDestination ? key.destination() : one.source(),
                one.kind(),
                one.n(),
                one.sample(),
                one.since());
    }
}
