package dev.sluice.features.alerts;

import dev.sluice.features.alerts.AlertQueries.NewsItem;
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

/// Decides which of a workspace's destinations get a separate [AlertIncident]. The other
/// destinations share one incident for each target, so that no workspace can fill the tables or
/// make a transaction too large.
final class IncidentRoom {

    /// The maximum number of incidents about single destinations that a workspace may have. Further
    /// destinations share one incident for each target.
    static final int MAX_INCIDENTS = 1_000;

    /// Sorts by destination, so that a destination is assigned incidents for all its targets or for
    /// none. The only exception is the destination at which the limit is reached.
    private static final Comparator<AlertKey> DESTINATIONS_FIRST =
            Comparator.comparing(AlertKey::destination).thenComparing(AlertKey::target);

    private final Set<AlertKey> own;

    private IncidentRoom(Set<AlertKey> own) {
        this.own = own;
    }

    /// Reads which of `keys` have an incident, and assigns new incidents to the others until their
    /// workspace has [#MAX_INCIDENTS]. Takes a lock, so that no other transaction assigns incidents
    /// until this one ends.
    static IncidentRoom forKeys(Tx tx, Collection<AlertKey> keys) {
        AlertStore.lockRoom(tx);
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

    /// Returns the key itself if it has an incident or was assigned one. Otherwise returns the key
    /// of the incident that the remaining destinations share.
    AlertKey place(AlertKey key) {
        return has(key) ? key : key.rest();
    }

    /// Returns a copy of each item, with the key of the incident to which the item belongs. The
    /// `source` of an item that concerns no source becomes the destination in that key.
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
