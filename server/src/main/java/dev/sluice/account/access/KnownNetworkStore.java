package dev.sluice.account.access;

import dev.sluice.platform.db.Tx;

import java.time.Instant;
import java.util.UUID;

/// Stores the networks from which people have signed in: for each account, the 16 most recently
/// used ones. The networks are kept when sessions end.
///
/// A network is an IPv4 address or an IPv6 /64, as returned by [ClientAddress#network]. A wider
/// IPv4 range would also contain the addresses of other customers of the same Internet provider or
/// data center, where an attacker can easily rent an address.
public final class KnownNetworkStore {

    private static final int MAX_NETWORKS = 16;

    private KnownNetworkStore() {}

    /// Whether this network is stored as one of the account's known networks.
    public static boolean isKnown(Tx tx, UUID account, String network) {
        return tx.findOne(
                        "select network from known_network where account_id = ? and network = ?",
                        row -> row.text("network"),
                        account,
                        network)
                .isPresent();
    }

    /// Remembers a network. If the account then has more than 16, forgets the least recently used
    /// ones.
    public static void remember(Tx tx, UUID account, String network, Instant now) {
        tx.update(
                """
                insert into known_network (account_id, network, last_used_at)
                values (?, ?, ?)
                on conflict (account_id, network) do update set last_used_at = excluded.last_used_at
                """,
                account,
                network,
                now);
        tx.update(
                """
                delete from known_network
                 where account_id = ?
                   and network in (select network
                                     from known_network
                                    where account_id = ?
                                    order by last_used_at desc, network
                                   offset ?)
                """,
                account,
                account,
                MAX_NETWORKS);
    }

    /// Forgets an account's networks.
    static void deleteAll(Tx tx, UUID account) {
        tx.update("delete from known_network where account_id = ?", account);
    }
}
