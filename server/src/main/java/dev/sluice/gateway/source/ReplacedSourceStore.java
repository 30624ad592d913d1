package dev.sluice.gateway.source;

import dev.sluice.account.workspace.WorkspaceId;
import dev.sluice.gateway.ReplacedRowStore;
import dev.sluice.platform.db.Tx;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

/// Keeps the earlier values of those source settings that affect the requests sent for the source's
/// events. Also finds the settings that were in force at a given configuration version.
public final class ReplacedSourceStore {

    private static final ReplacedRowStore ROWS =
            new ReplacedRowStore("replaced_source", "source_id", "source_id");

    /// A source's settings that affect the requests sent for the source's events.
    ///
    /// @param credentialHeader the header that contains the sender's credential; it is not
    ///   forwarded
    public record SentSource(String name, Optional<String> credentialHeader) {

        static SentSource of(Source source) {
            return new SentSource(source.name(), source.verification().credentialHeader());
        }
    }

    private final SourceStore sources;

    public ReplacedSourceStore(SourceStore sources) {
        this.sources = sources;
    }

    /// Returns the source's settings that were in force at configuration version `version`, or
    /// empty if the source's row has been removed.
    public Optional<SentSource> at(Tx tx, SourceId id, long version) {
        return replaced(tx, id, version)
                .or(() ->
                        tx.findOne("select * from source where id = ?", sources::source, id.value())
                                .map(SentSource::of));
    }

    private static Optional<SentSource> replaced(Tx tx, SourceId id, long version) {
        return tx.findOne(
                """
                select name, credential_header
                  from replaced_source
                 where source_id = ? and until_version > ?
                 order by until_version
                 limit 1
                """,
                row -> new SentSource(row.text("name"), row.textOrNone("credential_header")),
                id.value(),
                version);
    }

    /// Stores the [SentSource] settings of `before`, unless `after` has the same values or no
    /// attempt can have been made with them.
    ///
    /// @param version the configuration version that the change creates
    static void keep(Tx tx, Source before, Source after, long version) {
        var old = SentSource.of(before);
        if (old.equals(SentSource.of(after))) {
            return;
        }
        if (!ROWS.mayHaveBeenUsed(tx, before.id().value())) {
            return;
        }
        tx.update(
                """
                insert into replaced_source (source_id, workspace_id, until_version, replaced_at,
                                             name, credential_header)
                values (?, ?, ?, now(), ?, ?)
                """,
                before.id().value(),
                before.workspace().value(),
                version,
                old.name(),
                old.credentialHeader().orElse(null));
        ROWS.trim(tx, before.id().value());
    }

    /// Removes the replaced settings of these sources.
    public static void removeOf(Tx tx, List<SourceId> sources) {
        tx.update(
                "delete from replaced_source where source_id = any (?)",
                sources.stream().map(SourceId::value).toList());
    }

    /// See [ReplacedRowStore#deleteOf].
    public static void deleteOf(Tx tx, WorkspaceId workspace, Instant newest) {
        ROWS.deleteOf(tx, workspace, newest);
    }

    /// See [ReplacedRowStore#removeBefore].
    public static int removeBefore(Tx tx, Instant before, int limit) {
        return ROWS.removeBefore(tx, before, limit);
    }

    /// See [ReplacedRowStore#removeUnnamed].
    public static int removeUnnamed(Tx tx, Instant from, Instant to, int limit) {
        return ROWS.removeUnnamed(tx, from, to, limit);
    }
}
