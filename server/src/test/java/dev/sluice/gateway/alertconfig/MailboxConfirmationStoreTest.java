package dev.sluice.gateway.alertconfig;

import static dev.sluice.gateway.alertconfig.MailboxConfirmationStore.LIFETIME;
import static dev.sluice.gateway.alertconfig.MailboxConfirmationStore.MIN_INTERVAL;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.platform.db.Db;
import dev.sluice.platform.secret.Sha256;
import dev.sluice.testkit.Some;
import dev.sluice.testkit.TestPostgres;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

import java.time.Instant;
import java.util.UUID;

class MailboxConfirmationStoreTest {

    private static final Instant NOW = Some.NOON;
    private static final UUID MAILBOX = Some.id();

    @AutoClose private final Db db = TestPostgres.open(TestPostgres.newDatabase());

    private final UUID target = add();

    private UUID add() {
        UUID added = Some.id();
        db.run(tx ->
                tx.update(
                        "insert into mailbox_confirmation (target, workspace_id, mailbox) values"
                                + " (?, ?, ?)",
                        added,
                        Some.id(),
                        MAILBOX));
        return added;
    }

    private boolean ask(UUID of, String token, Instant now) {
        return db.call(tx ->
                MailboxConfirmationStore.ask(
                        tx, of, MAILBOX, Sha256.hash(token), MIN_INTERVAL, now));
    }

    private boolean confirm(String token, Instant now) {
        return db.call(tx -> MailboxConfirmationStore.confirm(tx, Sha256.hash(token), now));
    }

    private boolean isConfirmed(UUID of) {
        return db.call(tx -> MailboxConfirmationStore.isConfirmed(tx, of));
    }

    @Test
    void owner_is_asked_once_a_day_over_all_workspaces() {
        var other = add();

        assertThat(ask(target, "one", NOW)).isTrue();
        assertThat(ask(target, "two", NOW.plusSeconds(1))).isFalse();
        assertThat(ask(other, "three", NOW.plus(MIN_INTERVAL).minusMillis(1))).isFalse();
        assertThat(ask(other, "four", NOW.plus(MIN_INTERVAL))).isTrue();
    }

    @Test
    void mailbox_is_confirmed_for_the_workspace_that_asked() {
        var other = add();
        ask(target, "one", NOW);

        assertThat(confirm("one", NOW.plus(LIFETIME).minusMillis(1))).isTrue();

        assertThat(isConfirmed(target)).isTrue();
        assertThat(isConfirmed(other)).isFalse();
        assertThat(ask(target, "two", NOW.plus(LIFETIME))).as("confirmed").isFalse();
    }

    @Test
    void link_is_refused_after_a_week_and_when_a_newer_one_was_sent() {
        ask(target, "one", NOW);
        assertThat(confirm("one", NOW.plus(LIFETIME))).isFalse();

        ask(target, "two", NOW.plus(MIN_INTERVAL));

        assertThat(confirm("one", NOW.plus(MIN_INTERVAL))).isFalse();
        assertThat(isConfirmed(target)).isFalse();
    }

    @Test
    void owner_whose_mail_could_not_be_sent_is_asked_again_after_a_day() {
        ask(target, "one", NOW);
        db.run(tx -> MailboxConfirmationStore.endLink(tx, target));

        assertThat(confirm("one", NOW)).isFalse();
        assertThat(askAutomatically("two", NOW.plus(MIN_INTERVAL).minusMillis(1))).isFalse();
        assertThat(askAutomatically("three", NOW.plus(MIN_INTERVAL))).isTrue();
        assertThat(askAutomatically("four", NOW.plus(MIN_INTERVAL.multipliedBy(2)))).isFalse();
    }

    private boolean askAutomatically(String token, Instant now) {
        return db.call(tx ->
                MailboxConfirmationStore.ask(
                        tx, target, MAILBOX, Sha256.hash(token), LIFETIME, now));
    }

    @Test
    void mailbox_without_a_channel_is_forgotten_a_day_after_its_owner_was_asked() {
        ask(target, "one", NOW);

        db.run(tx ->
                MailboxConfirmationStore.deleteObsolete(tx, NOW.plus(MIN_INTERVAL).minusMillis(1)));
        assertThat(ask(add(), "two", NOW.plusSeconds(1))).as("still remembered").isFalse();
        db.run(tx -> MailboxConfirmationStore.deleteObsolete(tx, NOW.plus(MIN_INTERVAL)));

        assertThat(confirm("one", NOW.plusSeconds(1))).isFalse();
    }
}
