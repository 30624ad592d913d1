package dev.sluice;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.nameMatching;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noFields;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaCall;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/// The rules of the house: imports go down a floor, or along an arrow drawn here; each library is
/// known to one room; time comes from one clock.
class ArchitectureTest {

    private static final String HOUSE = "dev.sluice";

    /// Lowest first. The unnamed one on top is the composition root.
    private static final List<String> FLOORS =
            List.of("platform", "account", "gateway", "relay", "observe", "");

    /// Arrows between rooms of one floor. A floor's own package holds its nouns, which are open to
    /// its rooms and to the floors above.
    private static final Map<String, Set<String>> ARROWS =
            Map.ofEntries(
                    Map.entry(
                            "platform.http", Set.of("platform.json", "platform.db", "platform.id")),
                    Map.entry("platform.db", Set.of("platform.secret")),
                    Map.entry("platform.postgres", Set.of("platform.secret")),
                    Map.entry("account.plan", Set.of("account.workspace")),
                    Map.entry("account.access", Set.of("account.workspace", "account.plan")),
                    Map.entry(
                            "gateway.connection", Set.of("gateway.source", "gateway.destination")),
                    Map.entry(
                            "gateway.routing",
                            Set.of("gateway.source", "gateway.destination", "gateway.connection")),
                    Map.entry(
                            "relay.ingest",
                            Set.of("relay.store", "relay.dispatch", "relay.verify")),
                    Map.entry(
                            "relay.dispatch",
                            Set.of(
                                    "relay.store",
                                    "relay.send",
                                    "relay.settle",
                                    "relay.node",
                                    "relay.circuit")),
                    Map.entry("relay.circuit", Set.of("relay.store")),
                    Map.entry("relay.settle", Set.of("relay.store")),
                    Map.entry("relay.preview", Set.of("relay.send")),
                    Map.entry("relay.replay", Set.of("relay.store")),
                    Map.entry("relay.node", Set.of("relay.store")),
                    Map.entry("relay.wire", Set.of("relay.store")),
                    Map.entry("relay.retention", Set.of("relay.store")),
                    Map.entry(
                            "relay.upkeep", Set.of("relay.store", "relay.dispatch", "relay.node")),
                    Map.entry("observe.events", Set.of("observe.sums")),
                    Map.entry("observe.deadletters", Set.of("observe.sums")));

    /// Who alone imports a library, by the library's packages.
    private static final Map<String, String> IMPORTER =
            Map.of(
                    "org.eclipse.jetty..", "platform.http",
                    "tools.jackson..", "platform.json",
                    "org.postgresql..", "platform.db",
                    "com.zaxxer.hikari..", "platform.db",
                    "org.flywaydb..", "platform.db",
                    "org.apache.hc..", "relay.send",
                    "org.bouncycastle..", "account.access",
                    "org.tukaani..", "platform.postgres");

    /// Rooms that measure how long something takes, which a clock that can be set does not tell.
    private static final String[] TIMEKEEPERS = {
        HOUSE + ".relay.send",
        HOUSE + ".relay.node",
        HOUSE + ".relay.store",
        HOUSE + ".relay.ingest",
        HOUSE + ".relay.replay",
        HOUSE + ".observe.sums",
        HOUSE + ".platform.loop",
        HOUSE + ".platform.http",
        HOUSE + ".platform.postgres"
    };

    private static final JavaClasses SLUICE =
            new ClassFileImporter()
                    .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
                    .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_JARS)
                    .importPackages(HOUSE);

    @Test
    void imports_go_down_a_floor_or_along_an_arrow() {
        var strays = new TreeSet<String>();
        for (var type : SLUICE) {
            for (var dependency : type.getDirectDependenciesFromSelf()) {
                if (isInside(dependency)
                        && !isAllowed(room(type), room(dependency.getTargetClass()))) {
                    strays.add(type.getName() + " -> " + dependency.getTargetClass().getName());
                }
            }
        }
        assertThat(strays).isEmpty();
    }

    /// The rule above, held against imports that nobody should write.
    @ParameterizedTest
    @CsvSource({
        "relay.send,         relay.send,       true",
        "relay.send,         relay,            true",
        "relay.send,         platform.net,     true",
        "relay.dispatch,     relay.send,       true",
        "observe.events,     relay,            true",
        "observe.events,     gateway.routing,  true",
        "'',                 relay.store,      true",
        "relay.send,         relay.store,      false",
        "relay.store,        relay.dispatch,   false",
        "relay,              relay.store,      false",
        "relay.store,        observe.events,   false",
        "platform.db,        relay,            false",
        "platform.json,      platform.http,    false",
        "gateway.source,     gateway.routing,  false",
        "observe.events,     relay.store,      false",
        "observe.events,     observe.status,   false",
        "relay.store,        '',               false",
        "observe.events,     attic.boxes,      false",
    })
    void an_import_is_judged_by_the_rooms_it_joins(String from, String to, boolean isAllowed) {
        assertThat(isAllowed(from, to)).isEqualTo(isAllowed);
    }

    private static boolean isAllowed(String from, String to) {
        int height = FLOORS.indexOf(floor(from));
        int target = FLOORS.indexOf(floor(to));
        boolean isNoun = to.equals(floor(to));
        if (from.equals(to)) {
            return true;
        }
        if (height < 0 || target < 0) {
            return false;
        }
        if (height == target) {
            return isNoun || ARROWS.getOrDefault(from, Set.of()).contains(to);
        }
        boolean isRoomOfTheRelay = floor(to).equals("relay") && !isNoun && !from.isEmpty();
        return height > target && !isRoomOfTheRelay;
    }

    private static boolean isInside(Dependency dependency) {
        String name = dependency.getTargetClass().getBaseComponentType().getPackageName();
        return name.equals(HOUSE) || name.startsWith(HOUSE + ".");
    }

    /// `relay.store` for what stands in dev.sluice.relay.store; empty for the composition root.
    private static String room(JavaClass type) {
        String name = type.getBaseComponentType().getPackageName();
        return name.equals(HOUSE) ? "" : name.substring(HOUSE.length() + 1);
    }

    private static String floor(String room) {
        return room.split("\\.", 2)[0];
    }

    @Test
    void rooms_are_one_step_below_their_floor() {
        var deep = new TreeSet<String>();
        for (var type : SLUICE) {
            if (room(type).split("\\.", -1).length > 2) {
                deep.add(type.getPackageName());
            }
        }
        assertThat(deep).isEmpty();
    }

    @Test
    void rooms_are_free_of_cycles() {
        slices().matching(HOUSE + ".(*).(*)..").should().beFreeOfCycles().check(SLUICE);
    }

    @Test
    void sending_knows_no_database() {
        noClasses()
                .that()
                .resideInAPackage(HOUSE + ".relay.send")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(HOUSE + ".platform.db", "java.sql", "javax.sql")
                .check(SLUICE);
    }

    @Test
    void storing_knows_no_socket() {
        noClasses()
                .that()
                .resideInAPackage(HOUSE + ".relay.store")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("java.net..", "javax.net..", HOUSE + ".platform.http")
                .check(SLUICE);
    }

    @Test
    void decisions_do_no_io_and_read_no_clock() {
        noClasses()
                .that(
                        nameMatching(
                                "dev\\.sluice\\.(relay\\.settle\\.Verdict"
                                    + "|relay\\.circuit\\.(Circuit|Evidence|SlowStart|Cooldowns)"
                                    + "|gateway\\.destination\\.RetryPolicy"
                                    + "|gateway\\.connection\\.(Filter|FilterSubject|Operator)"
                                    + "|gateway\\.routing\\.Route|relay\\.verify\\..*"
                                    + "|relay\\.[A-Z].*)(\\$.*)?"))
                .should()
                .dependOnClassesThat(
                        resideInAPackage("java.io..")
                                .or(resideInAPackage("java.nio.file.."))
                                .or(resideInAPackage("java.sql.."))
                                .or(resideInAPackage(HOUSE + ".platform.db"))
                                .or(nameMatching("java\\.time\\.(InstantSource|Clock)")))
                .check(SLUICE);
    }

    @Test
    void each_library_is_known_to_one_room() {
        IMPORTER.forEach((library, room) ->
                noClasses()
                        .that()
                        .resideOutsideOfPackage(HOUSE + "." + room)
                        .should()
                        .dependOnClassesThat()
                        .resideInAPackage(library)
                        .check(SLUICE));
    }

    @Test
    void a_library_that_nobody_decided_on_is_in_use_nowhere() {
        classes()
                .should()
                .onlyDependOnClassesThat(
                        resideInAPackage("java..")
                                .or(resideInAPackage("javax.."))
                                .or(resideInAPackage("com.sun.security.."))
                                .or(resideInAPackage("com.sun.management.."))
                                .or(resideInAPackage(HOUSE + ".."))
                                .or(resideInAPackage("org.slf4j.."))
                                .or(resideInAPackage("org.jspecify.annotations"))
                                .or(
                                        DescribedPredicate.describe(
                                                "are of a library with a room",
                                                ArchitectureTest::hasImporter)))
                .check(SLUICE);
    }

    private static boolean hasImporter(JavaClass type) {
        var name = type.getBaseComponentType();
        return name.isPrimitive()
                || IMPORTER.keySet().stream()
                        .anyMatch(library -> resideInAPackage(library).test(name));
    }

    @Test
    void time_comes_from_the_one_clock() {
        noClasses()
                .should()
                .callMethodWhere(
                        DescribedPredicate.describe(
                                "reads the system's clock or sleeps",
                                ArchitectureTest::isTimeOfItsOwn))
                .check(SLUICE);
    }

    /// The root may make the clock that all others are given.
    private static boolean isTimeOfItsOwn(JavaCall<?> call) {
        String owner = call.getTargetOwner().getName();
        String method = call.getName();
        boolean isRoot = room(call.getOriginOwner()).isEmpty();
        return switch (owner) {
            case "java.lang.System" -> method.equals("currentTimeMillis");
            case "java.lang.Thread", "java.util.concurrent.TimeUnit" -> method.equals("sleep");
            case "java.time.InstantSource" -> method.equals("system") && !isRoot;
            case "java.time.Clock" -> method.startsWith("system") || method.startsWith("tick");
            case "java.util.Date", "java.util.GregorianCalendar" -> method.equals("<init>");
            default -> owner.startsWith("java.time.") && method.equals("now");
        };
    }

    @Test
    void the_monotonic_clock_is_read_only_where_something_is_measured() {
        noClasses()
                .that()
                .resideOutsideOfPackages(TIMEKEEPERS)
                .should()
                .callMethod(System.class, "nanoTime")
                .check(SLUICE);
    }

    @Test
    void routes_are_built_by_the_root_alone() {
        noClasses().that(not(resideInAPackage(HOUSE))).should(useRoutesOfOthers()).check(SLUICE);
    }

    private static ArchCondition<JavaClass> useRoutesOfOthers() {
        return new ArchCondition<>("use routes of others") {
            @Override
            public void check(JavaClass type, ConditionEvents events) {
                for (var dependency : type.getDirectDependenciesFromSelf()) {
                    var target = dependency.getTargetClass();
                    boolean isOther = !outermost(target).equals(outermost(type));
                    events.add(
                            new SimpleConditionEvent(
                                    type,
                                    outermost(target).endsWith("Routes") && isOther,
                                    dependency.getDescription()));
                }
            }
        };
    }

    private static String outermost(JavaClass type) {
        return type.getBaseComponentType().getName().split("\\$", 2)[0];
    }

    @Test
    void nobody_prints_but_the_root() {
        noClasses()
                .that(not(resideInAPackage(HOUSE)))
                .should()
                .accessField(System.class, "out")
                .orShould()
                .accessField(System.class, "err")
                .orShould()
                .callMethod(Throwable.class, "printStackTrace")
                .check(SLUICE);
    }

    @Test
    void there_is_one_logging_api() {
        noClasses()
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(
                        "java.util.logging..", "org.apache.commons.logging..", "ch.qos.logback..")
                .check(SLUICE);
    }

    @Test
    void no_field_is_public_and_mutable() {
        noFields().that().arePublic().should().notBeFinal().check(SLUICE);
    }

    @Test
    void classes_are_closed() {
        classes()
                .that()
                .areNotInterfaces()
                .and()
                .areNotEnums()
                .and()
                .areNotAnonymousClasses()
                .should()
                .haveModifier(com.tngtech.archunit.core.domain.JavaModifier.FINAL)
                .orShould()
                .haveModifier(com.tngtech.archunit.core.domain.JavaModifier.ABSTRACT)
                .check(SLUICE);
    }
}
