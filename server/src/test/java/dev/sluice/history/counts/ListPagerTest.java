package dev.sluice.history.counts;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.platform.db.Db;
import dev.sluice.platform.db.Tx;
import dev.sluice.platform.json.InvalidFieldsException;
import dev.sluice.testkit.TestPostgres;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

import java.time.Duration;

class ListPagerTest {

    @AutoClose private final Db db = TestPostgres.open(TestPostgres.newDatabase());

    private static String timeout(Tx tx) {
        return tx.single("show statement_timeout", row -> row.text("statement_timeout"));
    }

    private static String sleep(Tx tx) {
        return tx.single("select pg_sleep(60)::text as slept", row -> row.text("slept"));
    }

    @Test
    void page_that_takes_too_long_is_refused_with_the_name_of_the_cursor() {
        assertThatThrownBy(() ->
                        db.snapshot(tx ->
                                ListPager.withinBudget(tx, Duration.ofMillis(20), () -> sleep(tx))))
                .isInstanceOf(InvalidFieldsException.class)
                .hasMessageStartingWith("page is too far down the list")
                .hasMessageContaining("next_cursor");
    }

    @Test
    void time_limit_of_a_page_ends_with_it() {
        db.run(tx -> {
            String before = timeout(tx);

            String within = ListPager.withinBudget(tx, Duration.ofSeconds(7), () -> timeout(tx));

            assertThat(within).isEqualTo("7s");
            assertThat(timeout(tx)).isEqualTo(before).isNotEqualTo(within);
        });
    }
}
