package dev.sluice.platform.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import static java.nio.charset.StandardCharsets.UTF_8;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.postgresql.PGConnection;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;

class EmbeddedPostgresTest {

    private static final String BINARIES_FOLDER = "bin-18.6";

    /// The directory of a server that ran once. All tests link to its binaries, because unpacking
    /// takes long.
    @TempDir private static Path first;

    @TempDir private Path parent;

    private Path directory = Path.of("");

    @BeforeAll
    static void runOnce() throws IOException {
        letOthersPass(first);
        EmbeddedPostgres.start(first, Map.of()).close();
    }

    @BeforeEach
    void shareThePrograms() throws IOException {
        letOthersPass(parent);
        directory = Files.createDirectory(parent.toRealPath().resolve("it's a server"));
        Files.createSymbolicLink(
                directory.resolve(BINARIES_FOLDER), first.resolve(BINARIES_FOLDER));
    }

    @AfterEach
    void leaveTheFirstAlone() throws IOException {
        if (Files.isSymbolicLink(directory.resolve(BINARIES_FOLDER))) {
            Files.delete(directory.resolve(BINARIES_FOLDER));
        }
    }

    @Test
    void accepts_its_user_with_the_password_and_nobody_else() throws SQLException {
        try (var postgres = start()) {
            assertThat(value(postgres, "select current_user")).isEqualTo("sluice");
            assertThat(value(postgres, "select current_database()")).isEqualTo("sluice");
            assertThat(postgres.isRunning()).isTrue();
            assertThat(postgres.host()).isEqualTo("127.0.0.1");
            assertThat(postgres.password().reveal()).matches("[0-9A-Za-z]{43}");
            assertThatThrownBy(() -> connect(postgres, "wrong").close())
                    .isInstanceOf(SQLException.class)
                    .hasMessageContaining("password authentication failed");
        }
    }

    @Test
    void keeps_data_port_and_password_from_one_run_to_the_next() throws SQLException {
        var first = start();
        try (first) {
            run(first, "create table kept as select 42 as answer");
        }
        assertThat(first.isRunning()).isFalse();

        try (var second = start()) {
            assertThat(value(second, "select answer from kept")).isEqualTo("42");
            assertThat(second.port()).isEqualTo(first.port());
            assertThat(second.password()).isEqualTo(first.password());
        }
    }

    @Test
    void uses_the_programs_of_a_package_and_removes_unpacked_ones() throws Exception {
        var data = PostgresDirectory.prepare(parent.resolve("data of a package"));
        Files.createDirectories(data.path().resolve("bin-17.6").resolve("lib"));

        var binaries = Binaries.installedIn(first.resolve(BINARIES_FOLDER), data);

        assertThat(
                        CommandResult.run(
                                List.of(binaries.program("postgres"), "--version"), data.path()))
                .returns(0, CommandResult::exitCode)
                .extracting(CommandResult::output)
                .asString()
                .contains(Binaries.POSTGRES_VERSION);
        assertThat(data.path().resolve("bin-17.6")).doesNotExist();
    }

    @Test
    void refuses_a_package_whose_path_a_shell_would_read() {
        var data = PostgresDirectory.prepare(parent.resolve("data"));

        assertThatThrownBy(() -> Binaries.installedIn(Path.of("/opt/$HOME/postgres"), data))
                .isInstanceOf(PostgresStartException.class)
                .hasMessageContaining("/opt/$HOME/postgres")
                .hasMessageContaining("move Sluice's own folder");
    }

    @Test
    void never_trades_safety_for_speed() throws SQLException {
        try (var postgres = start()) {
            for (String name :
                    List.of("fsync", "synchronous_commit", "full_page_writes", "data_checksums")) {
                assertThat(value(postgres, "show " + name)).as(name).isEqualTo("on");
            }
            assertThat(value(postgres, "show listen_addresses")).isEqualTo("127.0.0.1");
            assertThat(value(postgres, "show unix_socket_directories")).isEmpty();
            assertThat(value(postgres, "show server_version")).isEqualTo(Binaries.POSTGRES_VERSION);
            assertThat(
                            value(
                                    postgres,
                                    "select datlocale from pg_database where datname = 'sluice'"))
                    .isEqualTo("C.UTF-8");
        }
    }

    /// Reads the time zone from the configuration file, because the driver sets the session time
    /// zone to that of this JVM.
    @Test
    void extra_settings_win_over_ours() throws SQLException {
        copyTheFirst();
        var extra = Map.of("timezone", "Asia/Kathmandu", "search_path", "\"it's\"");

        try (var postgres = EmbeddedPostgres.start(directory, extra)) {
            assertThat(value(postgres, "show search_path")).isEqualTo("\"it's\"");
            assertThat(
                            value(
                                    postgres,
                                    "select setting from pg_file_settings where name = 'timezone'"
                                            + " and applied"))
                    .isEqualTo("Asia/Kathmandu");
        }
    }

    @Test
    void what_others_must_not_read_is_ours_alone() throws IOException {
        try (var _ = startWithoutCopy()) {
            for (String name : List.of("password", "port", "run-as", "postgres.log")) {
                assertThat(mode(directory.resolve(name))).as(name).isEqualTo("rw-------");
            }
            assertThat(mode(directory.resolve("cluster"))).isEqualTo("rwx------");
            assertThat(mode(directory)).isEqualTo("rwx--x--x");
            assertThat(directory.resolve("cluster.new.password")).doesNotExist();
        }
    }

    @Test
    void a_killed_server_is_started_again_on_the_same_port_each_time() throws SQLException {
        try (var postgres = start()) {
            run(postgres, "create table kept as select 42 as answer");

            for (int round = 0; round < 3; round++) {
                long killed = postgres.pid();
                ProcessHandle.of(killed).orElseThrow().destroyForcibly();

                await().until(() -> postgres.pid() != killed && postgres.isRunning());
                assertThat(value(postgres, "select answer from kept")).isEqualTo("42");
            }
        }
    }

    /// PostgreSQL finds the shared memory of the old server through the data directory. A lost pid
    /// file therefore does no harm.
    @Test
    void no_second_server_starts_while_a_session_of_the_first_lives_on() throws Exception {
        try (var postgres = start();
                var connection = connect(postgres, postgres.password().reveal())) {
            long session = connection.unwrap(PGConnection.class).getBackendPID();
            var stopped =
                    CommandResult.run(List.of("sh", "-c", "kill -STOP " + session), directory);
            assertThat(stopped.exitCode()).as(stopped.output()).isZero();
            Files.delete(directory.resolve("cluster/postmaster.pid"));
            long killed = postgres.pid();
            ProcessHandle.of(killed).orElseThrow().destroyForcibly();

            await().until(() -> log().contains("pre-existing shared memory block"));
            assertThat(postgres.pid()).isEqualTo(killed);

            ProcessHandle.of(session).orElseThrow().destroyForcibly();
            await().until(() -> postgres.pid() != killed && postgres.isRunning());
        }
    }

    private String log() throws IOException {
        return Files.readString(directory.resolve("postgres.log"), UTF_8);
    }

    @Test
    void starting_again_is_tried_until_it_works() throws Exception {
        try (var postgres = start()) {
            long killed = killWithoutPrograms(postgres);

            Files.createSymbolicLink(
                    directory.resolve(BINARIES_FOLDER), first.resolve(BINARIES_FOLDER));

            await().until(() -> postgres.pid() != killed && postgres.isRunning());
            assertThat(value(postgres, "select 1")).isEqualTo("1");
        }
    }

    @Test
    void closing_ends_the_attempts_to_start_again() throws Exception {
        var postgres = start();
        killWithoutPrograms(postgres);

        postgres.close();
        Files.createSymbolicLink(
                directory.resolve(BINARIES_FOLDER), first.resolve(BINARIES_FOLDER));

        assertThat(postgres.isRunning()).isFalse();
        start().close();
    }

    /// Kills the server while its binaries are missing. Returns the killed process id once the
    /// first restart has failed.
    private long killWithoutPrograms(EmbeddedPostgres postgres) throws IOException {
        Files.delete(directory.resolve(BINARIES_FOLDER));
        long logged = Files.size(directory.resolve("postgres.log"));
        long killed = postgres.pid();
        ProcessHandle.of(killed).orElseThrow().destroyForcibly();
        await().until(() -> Files.size(directory.resolve("postgres.log")) > logged);
        return killed;
    }

    @Test
    void a_server_that_was_closed_stays_down() {
        var postgres = start();
        long pid = postgres.pid();

        postgres.close();
        postgres.close();

        assertThat(ProcessHandle.of(pid)).isEmpty();
        assertThat(postgres.isRunning()).isFalse();
        assertThat(directory.resolve("cluster/postmaster.pid")).doesNotExist();
    }

    @Test
    void closing_does_not_wait_for_clients() throws SQLException {
        var postgres = start();
        try (var connection = connect(postgres, postgres.password().reveal())) {
            postgres.close();

            assertThat(connection.isValid(1)).isFalse();
        }
    }

    @Test
    void an_orphan_of_a_killed_run_is_stopped_by_the_next_start() throws Exception {
        copyTheFirst();
        var other = KillableProcess.start(directory);
        other.kill();
        var orphan = ProcessHandle.of(other.postmaster()).orElseThrow();
        assertThat(orphan.isAlive()).isTrue();

        try (var postgres = start()) {
            assertThat(orphan.info().arguments()).as("the process is gone or a zombie").isEmpty();
            assertThat(postgres.pid()).isNotEqualTo(other.postmaster());
            assertThat(value(postgres, "select 1")).isEqualTo("1");
        }
    }

    @Test
    void a_server_killed_together_with_its_run_is_started_anew() throws Exception {
        copyTheFirst();
        var other = KillableProcess.start(directory);
        other.kill();
        ProcessHandle.of(other.postmaster()).orElseThrow().destroyForcibly();

        try (var postgres = start()) {
            assertThat(value(postgres, "select 1")).isEqualTo("1");
        }
    }

    @Test
    void a_pid_file_that_names_another_program_does_not_keep_us_from_starting() throws Exception {
        start().close();
        var bystander = new ProcessBuilder("sleep", "60").start();
        try {
            Files.writeString(
                    directory.resolve("cluster/postmaster.pid"),
                    "%d%n%s%n1700000000%n5432%n%n127.0.0.1%n%nready%n"
                            .formatted(bystander.pid(), directory.resolve("cluster")));

            try (var postgres = start()) {
                assertThat(value(postgres, "select 1")).isEqualTo("1");
                assertThat(bystander.isAlive()).isTrue();
            }
        } finally {
            bystander.destroyForcibly();
        }
    }

    @Test
    void another_port_is_chosen_and_kept_when_somebody_has_taken_ours() throws Exception {
        var first = start();
        first.close();

        int second;
        try (var _ = new ServerSocket(first.port(), 1, InetAddress.getLoopbackAddress());
                var postgres = start()) {
            second = postgres.port();
            assertThat(second).isNotEqualTo(first.port());
        }
        try (var third = start()) {
            assertThat(third.port()).isEqualTo(second);
        }
    }

    @Test
    void ctrl_c_does_not_reach_the_server() throws IOException {
        try (var postgres = start()) {
            assertThat(session(postgres.pid()))
                    .isNotEqualTo(session(ProcessHandle.current().pid()));
        }
    }

    @Test
    void what_was_left_half_done_is_done_again() throws IOException, SQLException {
        Files.createDirectories(directory.resolve("cluster.new/base"));
        Files.writeString(directory.resolve("cluster.new/PG_VERSION"), "18\n");
        Files.delete(directory.resolve(BINARIES_FOLDER));
        Files.createDirectories(directory.resolve("bin-18.6.new/bin"));

        try (var postgres = startWithoutCopy()) {
            assertThat(value(postgres, "select 1")).isEqualTo("1");
            assertThat(directory.resolve("bin-18.6.new")).doesNotExist();
            assertThat(directory.resolve("cluster.new")).doesNotExist();
        }
    }

    @Test
    void data_of_another_major_version_is_refused() throws IOException {
        Files.createDirectory(directory.resolve("cluster"));
        Files.writeString(directory.resolve("cluster/PG_VERSION"), "17\n");

        assertThatThrownBy(this::startWithoutCopy)
                .isInstanceOf(PostgresStartException.class)
                .hasMessage(
                        "The data in %s was written by PostgreSQL 17, but this release of Sluice includes PostgreSQL 18, which can't read it. "
                                        .formatted(directory.resolve("cluster"))
                                + "Start the release of Sluice that wrote it, or run pg_upgrade on"
                                + " it with your own PostgreSQL and set SLUICE_DATABASE_URL to"
                                + " that server.");
    }

    @Test
    void a_disk_that_is_nearly_full_is_refused() {
        var postgresDirectory = new PostgresDirectory(directory);

        postgresDirectory.checkSpace(200L << 20);
        assertThatThrownBy(() -> postgresDirectory.checkSpace(199L << 20))
                .isInstanceOf(PostgresStartException.class)
                .hasMessageContaining("has 199 MB left, and the database needs 200 MB");
    }

    @Test
    void a_path_that_a_shell_would_change_is_refused() {
        assertThatThrownBy(() -> EmbeddedPostgres.start(parent.resolve("$HOME"), Map.of()))
                .isInstanceOf(PostgresStartException.class)
                .hasMessageContaining("Set SLUICE_DATA_DIR to another folder");
    }

    @Test
    void a_setting_that_postgres_refuses_is_named() {
        assertThatThrownBy(() -> EmbeddedPostgres.start(directory, Map.of("no_such_setting", "1")))
                .isInstanceOf(PostgresStartException.class)
                .hasMessageContaining("no_such_setting");
    }

    @ParameterizedTest
    @MethodSource("waysOfThisMachine")
    void runs_each_way_that_the_machine_has(RunAs runAs) throws Exception {
        assumeTrue(
                CommandResult.run(runAs.wrap(List.of("true")), parent).succeeded(),
                runAs + " is not available here");

        try (var postgres = EmbeddedPostgres.start(directory, Map.of(), List.of(runAs))) {
            assertThat(value(postgres, "select 1")).isEqualTo("1");
            long killed = postgres.pid();
            ProcessHandle.of(killed).orElseThrow().destroyForcibly();
            await().until(() -> postgres.pid() != killed && postgres.isRunning());
            assertThat(value(postgres, "select 1")).isEqualTo("1");
        }
        assertThat(directory.resolve("cluster/postmaster.pid")).doesNotExist();
    }

    static List<RunAs> waysOfThisMachine() {
        var candidates = RunAs.candidates();
        return candidates.stream()
                .filter(runAs ->
                        !(runAs instanceof RunAs.OtherUnixUser(UnixUser user, _))
                                || user.equals(firstAccount(candidates)))
                .toList();
    }

    @Test
    void the_data_follows_when_another_way_has_to_be_taken() throws SQLException {
        copyTheFirst();
        var candidates = RunAs.candidates();
        assumeTrue(candidates.size() > 2, "only root has a choice");

        for (var runAs :
                List.of(candidates.getFirst(), candidates.getLast(), candidates.getFirst())) {
            try (var postgres = EmbeddedPostgres.start(directory, Map.of(), List.of(runAs))) {
                run(postgres, "create table if not exists kept (answer int)");
                run(postgres, "insert into kept values (1)");
            }
        }
        try (var postgres = start()) {
            assertThat(value(postgres, "select count(*) from kept")).isEqualTo("3");
        }
    }

    @Test
    void below_a_folder_that_only_root_may_enter_the_namespace_is_found() throws Exception {
        assumeTrue(RunAs.candidates().size() > 1, "only root has a choice");
        assumeTrue(
                CommandResult.run(new RunAs.UserNamespace().wrap(List.of("true")), parent)
                        .succeeded(),
                "no user namespaces here");
        Files.setPosixFilePermissions(parent, PosixFilePermissions.fromString("rwx------"));
        try (var postgres = startWithoutCopy()) {
            assertThat(value(postgres, "select 1")).isEqualTo("1");
        }
        assertThat(directory.resolve("run-as")).hasContent("unshare");
    }

    @Test
    void data_without_its_password_is_refused() throws IOException {
        copyTheFirst();
        Files.delete(directory.resolve("password"));

        assertThatThrownBy(this::startWithoutCopy)
                .isInstanceOf(PostgresStartException.class)
                .hasMessageContaining("password is missing");
    }

    @Test
    void the_way_that_worked_is_tried_first_and_given_up_when_it_works_no_more()
            throws IOException {
        copyTheFirst();
        assumeTrue(RunAs.candidates().size() > 1, "only root has a choice");
        Files.writeString(directory.resolve("run-as"), "unshare\n");
        start().close();
        assertThat(directory.resolve("run-as")).hasContent("unshare");

        Files.writeString(directory.resolve("run-as"), "su as somebody-who-left\n");
        start().close();
        assertThat(directory.resolve("run-as")).hasContent(RunAs.candidates().getFirst().label());
    }

    @Test
    void without_any_way_root_is_told_two_others() {
        var nowhere =
                List.<RunAs>of(
                        new RunAs.OtherUnixUser(
                                new UnixUser("no-such-account", 4711, 4711),
                                RunAs.PrivilegeDropTool.RUNUSER));

        assertThatThrownBy(() -> EmbeddedPostgres.start(directory, Map.of(), nowhere))
                .isInstanceOf(PostgresStartException.class)
                .hasMessageContaining("Run Sluice as an ordinary user, or set SLUICE_DATABASE_URL")
                .hasMessageContaining("runuser as no-such-account: ");
    }

    /// Starts on a copy of the first server's data if there is none yet, because `initdb` takes a
    /// second.
    private EmbeddedPostgres start() {
        if (!Files.exists(directory.resolve("cluster"))) {
            copyTheFirst();
        }
        return startWithoutCopy();
    }

    private EmbeddedPostgres startWithoutCopy() {
        return EmbeddedPostgres.start(directory, Map.of());
    }

    private void copyTheFirst() {
        try {
            for (String name : List.of("cluster", "password", "port", "run-as")) {
                var copy =
                        CommandResult.run(
                                List.of("cp", "-a", first.resolve(name).toString(), "."),
                                directory);
                assertThat(copy.exitCode()).as(copy.output()).isZero();
            }
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private static UnixUser firstAccount(List<RunAs> candidates) {
        return candidates.getFirst() instanceof RunAs.OtherUnixUser(UnixUser user, _)
                ? user
                : UnixUser.ROOT;
    }

    private static void letOthersPass(Path folder) throws IOException {
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwx--x--x"));
    }

    private static String mode(Path path) throws IOException {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
    }

    /// Returns the session id, field 6 of `/proc/<pid>/stat` (proc manual page). The name in field
    /// 2 may contain spaces but ends with a parenthesis.
    private static String session(long pid) throws IOException {
        Path stat = Path.of("/proc", Long.toString(pid), "stat");
        assumeTrue(Files.exists(stat), "no /proc here");
        String text = Files.readString(stat, UTF_8);
        return text.substring(text.lastIndexOf(')') + 2).split(" ", -1)[3];
    }

    private static Connection connect(EmbeddedPostgres postgres, String password)
            throws SQLException {
        String url =
                "jdbc:postgresql://%s:%d/%s"
                        .formatted(postgres.host(), postgres.port(), postgres.database());
        return DriverManager.getConnection(url, postgres.user(), password);
    }

    private static void run(EmbeddedPostgres postgres, String sql) throws SQLException {
        try (var connection = connect(postgres, postgres.password().reveal());
                var statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private static String value(EmbeddedPostgres postgres, String sql) throws SQLException {
        try (var connection = connect(postgres, postgres.password().reveal());
                var statement = connection.createStatement();
                var rows = statement.executeQuery(sql)) {
            rows.next();
            return rows.getString(1);
        }
    }
}
