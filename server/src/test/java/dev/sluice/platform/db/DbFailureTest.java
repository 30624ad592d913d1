package dev.sluice.platform.db;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;

class DbFailureTest {

    @ParameterizedTest
    @CsvSource({
        "08006, CONNECTION_LOST",
        "08P01, CONNECTION_LOST",
        "57P01, CONNECTION_LOST",
        "57P03, CONNECTION_LOST",
        "53300, CONNECTION_LOST",
        "25P03, CONNECTION_LOST",
        "40003, CONNECTION_LOST",
        "25006, PASSING",
        "57014, PASSING",
        "40001, PASSING",
        "40P01, PASSING",
        "55P03, PASSING",
        "53100, PASSING",
        "58030, PASSING",
        "58P01, PASSING",
        "22021, BAD_ROW",
        "23505, BAD_ROW",
        "23514, BAD_ROW",
        "XX000, DAMAGED",
        "XX001, DAMAGED",
        "42P01, UNKNOWN",
        "P0001, UNKNOWN",
        "'', UNKNOWN"
    })
    void each_state_has_its_meaning(String state, DbFailure meaning) {
        assertThat(new DbException(new SQLException("refused", state)).failure())
                .isEqualTo(meaning);
    }

    @Test
    void a_pool_without_a_connection_is_a_lost_connection() {
        assertThat(new DbException(new SQLTransientConnectionException("timeout")).failure())
                .isEqualTo(DbFailure.CONNECTION_LOST);
    }

    /// A damaged index can be made anew; its rows are still there.
    @Test
    void a_value_is_unreadable_if_it_is_damaged_and_not_if_its_index_is() {
        assertThat(new DbException(new SQLException("missing chunk", "XX001")).isUnreadableValue())
                .isTrue();
        assertThat(new DbException(new SQLException("no such key", "XX002")).isUnreadableValue())
                .isFalse();
        assertThat(new DbException(new SQLException("cancelled", "57014")).isUnreadableValue())
                .isFalse();
        assertThat(new DbException(new SQLException("exists", "23505")).isUnreadableValue())
                .isFalse();
    }
}
