package dev.sluice.account.access;

import dev.sluice.platform.db.Row;
import dev.sluice.platform.db.Tx;

import java.sql.SQLException;
import java.time.Instant;
import java.util.Optional;
import java.util.UUID;

/// Stores accounts: the people who can sign in.
public final class AccountStore {

    private AccountStore() {}

    /// Inserts an account. Returns false if another account already has the e-mail address.
    public static boolean insert(Tx tx, Account account, Instant now) {
        return tx.update(
                        """
                        insert into account (id, email, name, password_hash, created_at)
                        values (?, ?, ?, ?, ?)
                        on conflict (email) do nothing
                        """,
                        account.id(),
                        account.email(),
                        account.name(),
                        account.passwordHash(),
                        now)
                > 0;
    }

    public static Optional<Account> find(Tx tx, UUID id) {
        return tx.findOne(
                "select id, email, name, password_hash from account where id = ?",
                AccountStore::account,
                id);
    }

    /// @param email in the form that [Account#normalizedEmail] returns
    public static Optional<Account> find(Tx tx, String email) {
        return tx.findOne(
                "select id, email, name, password_hash from account where email = ?",
                AccountStore::account,
                email);
    }

    public static void setPasswordHash(Tx tx, UUID id, String passwordHash) {
        tx.update("update account set password_hash = ? where id = ?", passwordHash, id);
    }

    /// Locks an account until the transaction ends. Until then, other transactions that insert a
    /// membership for the account must wait.
    public static void lock(Tx tx, UUID id) {
        var _ =
                tx.findOne(
                        "select id from account where id = ? for update",
                        row -> row.uuid("id"),
                        id);
    }

    /// Locks an account until the transaction ends. Returns false, and locks nothing, if the
    /// account has been deleted or its password has been changed since `read` was loaded. Other
    /// transactions can still insert rows that refer to the account, so this lock cannot cause a
    /// deadlock with them.
    public static boolean lockUnchanged(Tx tx, Account read) {
        return tx.findOne(
                        "select id from account where id = ? and password_hash = ? for no key"
                                + " update",
                        row -> row.uuid("id"),
                        read.id(),
                        read.passwordHash())
                .isPresent();
    }

    /// Deletes an account, its sessions and its known networks. The API keys that the person
    /// created stay valid. The caller must already have removed the person's memberships, invites
    /// and password reset.
    public static void delete(Tx tx, UUID id) {
        ApiKeyStore.forgetCreator(tx, id);
        SessionStore.endAll(tx, id, Optional.empty());
        KnownNetworkStore.deleteAll(tx, id);
        tx.update("delete from account where id = ?", id);
    }

    private static Account account(Row row) throws SQLException {
        return new Account(
                row.uuid("id"), row.text("email"), row.text("name"), row.text("password_hash"));
    }
}
