package dev.sluice.platform.db;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.sluice.testkit.TestPostgres;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.time.Duration;

class DbTest {

    private static final Database DATABASE = TestPostgres.newDatabase();

    /// With one connection, so that each piece of work gets the connection of the one before.
    @AutoClose private final Db db = Db.open(DATABASE, "test", 1, Duration.ofSeconds(30));

    @BeforeEach
    void makeTable() {
        db.run(tx -> {
            tx.update("drop table if exists number");
            tx.update("create table number (n integer)");
        });
    }

    private static int add(Tx tx, int n) {
        return tx.update("insert into number values (?)", n);
    }

    private long sum() {
        return db.statement(tx ->
                tx.single(
                        "select coalesce(sum(n), 0)::bigint as sum from number",
                        row -> row.number("sum")));
    }

    @Test
    void a_statement_is_committed_whatever_the_caller_does_then() {
        assertThatIllegalStateException()
                .isThrownBy(() ->
                        db.statement(tx -> {
                            add(tx, 1);
                            throw new IllegalStateException();
                        }));

        try (var other = TestPostgres.open(DATABASE)) {
            assertThat(
                            other.<Long>call(tx ->
                                    tx.single(
                                            "select count(*) as n from number",
                                            row -> row.number("n"))))
                    .isOne();
        }
    }

    @Test
    void after_a_statement_the_connection_has_transactions_again() {
        db.statement(tx -> add(tx, 1));

        assertThatIllegalStateException()
                .isThrownBy(() ->
                        db.run(tx -> {
                            add(tx, 2);
                            throw new IllegalStateException();
                        }));

        assertThat(sum()).isOne();
    }

    @Test
    void a_statement_that_fails_leaves_the_connection_usable() {
        assertThatExceptionOfType(DbException.class)
                .isThrownBy(
                        () -> db.statement(tx -> tx.update("insert into number values (1 / 0)")));

        assertThat(sum()).isZero();
        db.run(tx -> add(tx, 3));
        assertThat(sum()).isEqualTo(3);
    }
}
