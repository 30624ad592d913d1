package dev.sluice.bench.measure;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ThreadGroupNamesTest {

    @ParameterizedTest
    @CsvSource({
        "journal, journal",
        "http-77, http",
        "http-78-accepto, http",
        "ForkJoinPool-1-, virtual threads",
        "C2 CompilerThre, compilers",
        "G1 Refine#0, garbage collector",
        "GC Thread#11, garbage collector",
        "VM Periodic Tas, JVM",
        "Cleaner-0, JVM",
        "connection-tidy, connection-tidy",
        "nginx, nginx",
    })
    void threads_that_differ_in_number_only_are_a_group(String thread, String group) {
        assertThat(ThreadGroupNames.of(thread, "java\0-cp\0lib")).isEqualTo(group);
    }

    @ParameterizedTest
    @CsvSource({
        "'postgres: sluice sluice 127.0.0.1(46236) idle in transaction', sessions",
        "'postgres: io worker 0', io worker",
        "'postgres: checkpointer ', checkpointer",
        "'postgres: autovacuum launcher ', autovacuum launcher",
        "'postgres: autovacuum worker sluice', autovacuum worker",
        "'/programs/bin/postgres -D data', postmaster",
    })
    void a_process_of_postgresql_is_named_by_its_title(String title, String group) {
        assertThat(ThreadGroupNames.of("postgres", title)).isEqualTo(group);
    }
}
