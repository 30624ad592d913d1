package dev.sluice.gateway.alertconfig;

import dev.sluice.account.workspace.WorkspaceId;
import dev.sluice.gateway.source.SourceId;
import dev.sluice.platform.db.Row;
import dev.sluice.platform.db.Tx;
import dev.sluice.platform.secret.Sealer;

import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/// Stores alert configs, with their settings encrypted.
public final class AlertConfigStore {

    private static final String SELECT =
            """
            select alert_config.*, (select confirmed_at from mailbox_confirmation
                                     where mailbox_confirmation.target = alert_config.target)
              from alert_config
            """;

    /// A condition that excludes the channels of sources in the trash.
    private static final String IS_VISIBLE =
            """
             and not exists (select from source
                              where source.id = alert_config.source_id and trashed_at is not null)
            """;

    private final Sealer sealer;

    public AlertConfigStore(Sealer sealer) {
        this.sealer = sealer;
    }

    void insert(Tx tx, AlertConfig config) {
        tx.update(
                """
                insert into alert_config (id, workspace_id, source_id, channel, config, target,
                                          enabled, created_at, updated_at, begins_anew)
                values (?, ?, ?, ?, ?, ?, ?, ?, ?,
                        ? and not exists (select from alert_config as other
                                           where other.target = ? and other.enabled))
                """,
                config.id(),
                config.workspace().value(),
                config.source().map(SourceId::value).orElse(null),
                config.channel().text(),
                sealed(config),
                config.target(),
                config.isEnabled(),
                config.times().createdAt(),
                config.times().updatedAt(),
                config.isEnabled(),
                config.target());
    }

    /// Overwrites a config. Settings that this node cannot read stay as they are. Clears the last
    /// error if the target changes.
    void update(Tx tx, AlertConfig config) {
        tx.update(
                """
                update alert_config
                   set config = case when ? then ? else config end,
                       last_error = case when ? and target <> ? then null else last_error end,
                       target = case when ? then ? else target end,
                       begins_anew = begins_anew
                         or ? and not exists (select from alert_config as other
                                               where other.target = case when ? then ?
                                                                         else alert_config.target end
                                                 and other.enabled),
                       enabled = ?, updated_at = ?
                 where id = ?
                """,
                config.isReadable(),
                sealed(config),
                config.isReadable(),
                config.target(),
                config.isReadable(),
                config.target(),
                config.isEnabled(),
                config.isReadable(),
                config.target(),
                config.isEnabled(),
                config.times().updatedAt(),
                config.id());
    }

    /// Whether [#takeBegun] would find a channel.
    public static boolean isAnyBegun(Tx tx) {
        return tx.single(
                "select exists (select from alert_config where begins_anew) as found",
                row -> row.bool("found"));
    }

    /// Finds up to `limit` channels that became the only enabled channel for their target when they
    /// were created, enabled or changed. Returns the channels' targets. Marks the channels as
    /// handled, so that the next call does not return them again.
    public static List<UUID> takeBegun(Tx tx, int limit) {
        return tx.query(
                """
                update alert_config set begins_anew = false
                 where id = any (array(select id from alert_config where begins_anew
                                        order by id limit ? for update skip locked))
                returning target
                """,
                row -> row.uuid("target"),
                limit);
    }

    static void delete(Tx tx, UUID id) {
        tx.update("delete from alert_config where id = ?", id);
    }

    /// Deletes the channels of purged sources.
    public static void deleteOfSources(Tx tx, List<SourceId> sources) {
        tx.update(
                "delete from alert_config where source_id = any (?)",
                sources.stream().map(SourceId::value).toList());
    }

    /// Deletes all channels of a deleted workspace.
    public static void deleteAll(Tx tx, WorkspaceId workspace) {
        tx.update("delete from alert_config where workspace_id = ?", workspace.value());
    }

    public Optional<AlertConfig> find(Tx tx, WorkspaceId workspace, UUID id) {
        return tx.findOne(
                SELECT + " where id = ? and workspace_id = ?" + IS_VISIBLE,
                this::config,
                id,
                workspace.value());
    }

    /// Returns a workspace's channels, newest first, without those of sources in the trash.
    List<AlertConfig> list(Tx tx, WorkspaceId workspace) {
        return tx.query(
                SELECT
                        + " where workspace_id = ?"
                        + IS_VISIBLE
                        + " order by created_at desc, id desc",
                this::config,
                workspace.value());
    }

    /// Counts a workspace's alert configs. The count includes those of sources in the trash,
    /// because these sources can be restored.
    static long countWithHidden(Tx tx, WorkspaceId workspace) {
        return tx.single(
                "select count(*) as n from alert_config where workspace_id = ?",
                row -> row.number("n"),
                workspace.value());
    }

    /// Returns a channel's stored target, even if this node cannot read the channel's settings.
    /// Returns empty if there is no such channel.
    public static Optional<UUID> storedTarget(Tx tx, UUID id) {
        return tx.findOne(
                "select target from alert_config where id = ?", row -> row.uuid("target"), id);
    }

    /// Returns the oldest enabled channel for a target, ignoring channels of sources in the trash.
    /// Returns empty if there is none.
    public Optional<AlertConfig> findByTarget(Tx tx, UUID target) {
        return tx.findOne(
                SELECT + " where target = ? and enabled" + IS_VISIBLE + " order by id limit 1",
                this::config,
                target);
    }

    /// Records on all channels with this target that a message was sent, and clears their last
    /// error.
    public static void recordSent(Tx tx, UUID target, Instant now) {
        tx.update(
                "update alert_config set last_sent_at = ?, last_error = null where target = ?",
                now,
                target);
    }

    /// Records why a message was not sent, as the last error of all channels with this target.
    public static void recordFailure(Tx tx, UUID target, String error) {
        tx.update(
                "update alert_config set last_error = ? where target = ?",
                error.replace('\0', '\ufffd'),
                target);
    }

    private AlertConfig config(Row row) throws SQLException {
        UUID id = row.uuid("id");
        var channel = AlertChannel.fromText(row.text("channel"));
        return new AlertConfig(
                id,
                new WorkspaceId(row.uuid("workspace_id")),
                row.isNull("source_id")
                        ? Optional.empty()
                        : Optional.of(new SourceId(row.uuid("source_id"))),
                channel,
                settings(row, id, channel),
                row.bool("enabled"),
                new AlertConfig.ChangeTimes(row.instant("created_at"), row.instant("updated_at")),
                new AlertConfig.SendingState(
                        row.instantOrNone("last_sent_at"),
                        row.textOrNone("last_error"),
                        row.instantOrNone("confirmed_at")));
    }

    private ChannelSettings settings(Row row, UUID id, AlertChannel channel) throws SQLException {
        try {
            return ChannelSettingsJson.parseUnsealed(
                    channel, sealer.open(row.bytes("config"), sealingContext(id)));
        } catch (Sealer.WrongKeyException e) {
            return new ChannelSettings.UnreadableChannel();
        }
    }

    private byte[] sealed(AlertConfig config) {
        return sealer.seal(
                ChannelSettingsJson.revealed(config.settings()), sealingContext(config.id()));
    }

    private static String sealingContext(UUID id) {
        return "alert_config:config:" + id;
    }
}
