package dev.sluice.gateway.source;

import dev.sluice.account.workspace.WorkspaceId;
import dev.sluice.platform.db.Tx;

import java.time.Instant;
import java.util.List;

/// Assigns ingest tokens to sources, and retires tokens that are no longer assigned.
///
/// A token is retired when it is no longer its source's current or previous token. Senders might
/// still use a retired token, so only the workspace whose source had it can claim it again. Only
/// the token's hash is kept. The tokens of a deleted workspace can never be claimed again.
///
/// Configuration changes run one after another, so a token that is free stays free until the end of
/// the transaction.
final class TokenStore {

    /// The maximum number of retired tokens kept for a workspace. An older one is free for all.
    static final int MAX_RETIRED = 10_000;

    private TokenStore() {}

    /// Claims a token for a new source, if the token is free. An expired previous token or a
    /// retired token is free only for the workspace whose source had it. Claiming such a token
    /// removes it from its earlier source or from the retired tokens.
    ///
    /// @return false if the token is the current token of any source, even of one in the trash; if
    ///   it is a previous token that is still accepted; or if it belonged to a source of another
    ///   workspace
    static boolean take(Tx tx, WorkspaceId workspace, String token, Instant now, long version) {
        boolean isUsed =
                tx.single(
                        """
                        select exists (select from source where token = ?)
                            or exists (select from source
                                        where previous_token = ?
                                          and (previous_token_until > ? or workspace_id <> ?))
                            or exists (select from retired_token
                                        where token_hash = sha256(convert_to(?, 'UTF8'))
                                          and workspace_id <> ?) as used
                        """,
                        row -> row.bool("used"),
                        token,
                        token,
                        now,
                        workspace.value(),
                        token,
                        workspace.value());
        if (isUsed) {
            return false;
        }
        tx.update(
                """
                update source
                   set previous_token = null, previous_token_until = null, version = ?
                 where previous_token = ?
                """,
                version,
                token);
        tx.update(
                "delete from retired_token where token_hash = sha256(convert_to(?, 'UTF8'))",
                token);
        return true;
    }

    /// Stores a source's new token. Webhooks sent to the previous token are accepted until
    /// [PreviousToken#endsAt]. The token that an earlier rotation replaced, if there is one, is
    /// retired.
    static void rotate(Tx tx, Source rotated, long version) {
        var previous = rotated.previousToken().orElseThrow();
        tx.update(
                """
                insert into retired_token (token_hash, workspace_id, retired_at)
                select sha256(convert_to(previous_token, 'UTF8')), workspace_id, ?
                  from source
                 where id = ? and previous_token is not null
                    on conflict do nothing
                """,
                rotated.updatedAt(),
                rotated.id().value());
        trim(tx, rotated.workspace());
        tx.update(
                """
                update source
                   set token = ?, previous_token = ?, previous_token_until = ?,
                       updated_at = ?, version = ?
                 where id = ?
                """,
                rotated.token(),
                previous.token(),
                previous.endsAt(),
                rotated.updatedAt(),
                version,
                rotated.id().value());
    }

    /// Deletes a workspace's oldest retired tokens, so that [#MAX_RETIRED] are left.
    private static void trim(Tx tx, WorkspaceId workspace) {
        tx.update(
                """
                delete from retired_token
                 where workspace_id = ? and retired_at <= (
                       select retired_at
                         from retired_token
                        where workspace_id = ?
                        order by retired_at desc
                       offset ? limit 1)
                """,
                workspace.value(),
                workspace.value(),
                MAX_RETIRED);
    }

    /// Retires the tokens of purged sources. In each source's row, replaces the token with a
    /// placeholder that cannot be a token, because it contains hyphens.
    static void retireAll(Tx tx, List<SourceId> purged) {
        tx.update(
                """
                insert into retired_token (token_hash, workspace_id, retired_at)
                select sha256(convert_to(ended.token, 'UTF8')), workspace_id, purged_at
                  from source, unnest(array[source.token, source.previous_token]) as ended (token)
                 where id = any (?) and purged_at is not null
                   and source.token <> 'deleted-' || id and ended.token is not null
                    on conflict do nothing
                """,
                purged.stream().map(SourceId::value).toList());
        tx.update(
                """
                update source
                   set token = 'deleted-' || id, previous_token = null, previous_token_until = null
                 where id = any (?) and token <> 'deleted-' || id
                """,
                purged.stream().map(SourceId::value).toList());
    }
}
