package dev.sluice;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaCall.Predicates.target;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.equivalentTo;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.nameMatching;
import static com.tngtech.archunit.core.domain.properties.HasOwner.Predicates.With.owner;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noFields;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noMethods;
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

import dev.sluice.account.access.Api;
import dev.sluice.account.access.Authenticator;
import dev.sluice.account.access.Gate;
import dev.sluice.engine.assembly.EngineAssembly;
import dev.sluice.features.metrics.MetricsRoutes;
import dev.sluice.features.pages.PageRoutes;
import dev.sluice.platform.http.Router;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/// Tests the rules of the architecture. Imports go down a layer or along an arrow listed here, one
/// package imports each library, and time comes from one clock.
class ArchitectureTest {

    private static final String ROOT_PACKAGE = "dev.sluice";

    /// The layers ("floors"), lowest first. The unnamed one at the top is the composition root.
    private static final List<String> LAYERS =
            List.of("platform", "account", "gateway", "engine", "history", "features", "");

    /// The imports allowed between packages ("rooms") of one layer, and from a feature into a room
    /// of the engine. A layer's own package holds its value types, which its packages and the
    /// layers above may import. No feature is in a set: features never import each other.
    private static final Map<String, Set<String>> ALLOWED_IMPORTS =
            Map.ofEntries(
                    Map.entry(
                            "platform.http",
                            Set.of(
                                    "platform.json",
                                    "platform.db",
                                    "platform.id",
                                    "platform.share")),
                    Map.entry("platform.db", Set.of("platform.secret", "platform.meter")),
                    Map.entry("platform.postgres", Set.of("platform.secret")),
                    Map.entry("platform.datafile", Set.of("platform.json", "platform.secret")),
                    Map.entry("platform.log", Set.of("platform.json", "platform.db")),
                    Map.entry("platform.mail", Set.of("platform.secret", "platform.loop")),
                    Map.entry("account.changes", Set.of("account.workspace")),
                    Map.entry("account.plan", Set.of("account.workspace", "account.changes")),
                    Map.entry(
                            "account.access",
                            Set.of(
                                    "account.workspace",
                                    "account.plan",
                                    "account.changes",
                                    "account.idempotency")),
                    Map.entry(
                            "account.people",
                            Set.of("account.access", "account.changes", "account.workspace")),
                    Map.entry(
                            "account.members",
                            Set.of(
                                    "account.access",
                                    "account.changes",
                                    "account.idempotency",
                                    "account.plan",
                                    "account.workspace")),
                    Map.entry(
                            "gateway.connection",
                            Set.of("gateway.source", "gateway.destination", "gateway.filter")),
                    Map.entry(
                            "gateway.alertconfig", Set.of("gateway.source", "gateway.destination")),
                    Map.entry(
                            "gateway.deletion",
                            Set.of(
                                    "gateway.source",
                                    "gateway.destination",
                                    "gateway.connection",
                                    "gateway.alertconfig")),
                    Map.entry(
                            "gateway.routing",
                            Set.of("gateway.source", "gateway.destination", "gateway.connection")),
                    Map.entry(
                            "engine.accept",
                            Set.of(
                                    "engine.commit",
                                    "engine.ledger",
                                    "engine.send",
                                    "engine.share",
                                    "engine.signature")),
                    Map.entry("engine.commit", Set.of("engine.ledger")),
                    Map.entry(
                            "engine.send",
                            Set.of("engine.commit", "engine.settle", "engine.share")),
                    Map.entry("engine.settle", Set.of("engine.commit")),
                    Map.entry(
                            "engine.lanes",
                            Set.of(
                                    "engine.commit",
                                    "engine.send",
                                    "engine.settle",
                                    "engine.share")),
                    Map.entry("engine.node", Set.of("engine.lanes", "engine.send")),
                    Map.entry("features.recovery", Set.of("engine.commit", "engine.lanes")),
                    Map.entry(
                            "features.retention",
                            Set.of("engine.commit", "engine.lanes", "engine.ledger")),
                    Map.entry(
                            "features.assembly",
                            Set.of(
                                    "engine.accept",
                                    "engine.commit",
                                    "engine.ledger",
                                    "engine.send")),
                    Map.entry("features.transfer", Set.of("engine.commit", "engine.ledger")),
                    Map.entry(
                            "features.tryout",
                            Set.of("engine.accept", "engine.send", "engine.share")));

    /// The only package that may import a library, by the library's packages.
    private static final Map<String, String> LIBRARY_OWNER =
            Map.ofEntries(
                    Map.entry("org.eclipse.jetty..", "platform.http"),
                    Map.entry("tools.jackson..", "platform.json"),
                    Map.entry("org.postgresql..", "platform.db"),
                    Map.entry("com.zaxxer.hikari..", "platform.db"),
                    Map.entry("org.flywaydb..", "platform.db"),
                    Map.entry("org.apache.hc..", "engine.send"),
                    Map.entry("org.bouncycastle..", "account.access"),
                    Map.entry("jakarta.mail..", "platform.mail"),
                    Map.entry("org.eclipse.angus..", "platform.mail"),
                    Map.entry("org.tukaani..", "platform.postgres"),
                    Map.entry("io.opentelemetry..", "platform.trace"),
                    Map.entry("io.prometheus..", "features.metrics"),
                    Map.entry("ch.qos.logback..", "platform.log"));

    /// The packages that measure durations. They need a clock that cannot be set.
    private static final String[] NANO_TIME_PACKAGES = {
        ROOT_PACKAGE + ".platform.db",
        ROOT_PACKAGE + ".platform.loop",
        ROOT_PACKAGE + ".platform.http",
        ROOT_PACKAGE + ".platform.postgres",
        ROOT_PACKAGE + ".platform.share",
        ROOT_PACKAGE + ".engine.accept",
        ROOT_PACKAGE + ".engine.assembly",
        ROOT_PACKAGE + ".engine.commit",
        ROOT_PACKAGE + ".engine.node",
        ROOT_PACKAGE + ".engine.send",
        ROOT_PACKAGE + ".history.counts",
        ROOT_PACKAGE + ".features.assembly",
        ROOT_PACKAGE + ".features.recovery",
        ROOT_PACKAGE + ".features.streams"
    };

    private static final JavaClasses SLUICE_CLASSES =
            new ClassFileImporter()
                    .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
                    .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_JARS)
                    .withImportOption(location -> !location.contains("/contract/"))
                    .importPackages(ROOT_PACKAGE);

    @Test
    void imports_go_down_a_floor_or_along_an_arrow() {
        var strays = new TreeSet<String>();
        for (var type : SLUICE_CLASSES) {
            for (var dependency : type.getDirectDependenciesFromSelf()) {
                if (isInside(dependency)
                        && !isAllowed(packageOf(type), packageOf(dependency.getTargetClass()))) {
                    strays.add(type.getName() + " -> " + dependency.getTargetClass().getName());
                }
            }
        }
        assertThat(strays).isEmpty();
    }

    /// Tests the rule above with imports that the code does not have.
    @ParameterizedTest
    @CsvSource({
        "engine.send,         engine.send,       true",
        "engine.send,         engine,            true",
        "engine.send,         platform.net,      true",
        "engine.lanes,        engine.send,       true",
        "features.lists,      engine,            true",
        "features.lists,      history.counts,    true",
        "features.lists,      gateway.routing,   true",
        "features.recovery,   engine.lanes,      true",
        "'',                  engine.commit,     true",
        "engine.send,         engine.lanes,      false",
        "engine.settle,       engine.send,       false",
        "engine,              engine.commit,     false",
        "engine.commit,       features.lists,    false",
        "engine.commit,       history,           false",
        "platform.db,         engine,            false",
        "platform.json,       platform.http,     false",
        "gateway.source,      gateway.routing,   false",
        "features.lists,      engine.commit,     false",
        "features.lists,      features.status,   false",
        "features.retention,  features.recovery, false",
        "history.events,      engine.lanes,      false",
        "history.events,      features.lists,    false",
        "engine.commit,       '',                false",
        "'',                  engine.assembly,   true",
        "engine.assembly,     engine.commit,     true",
        "engine.assembly,     gateway.assembly,  true",
        "engine.assembly,     features.recovery, false",
        "engine.send,         engine.assembly,   false",
        "engine.commit,       gateway.assembly,  false",
        "features.assembly,   features.lists,    true",
        "features.assembly,   engine.assembly,   true",
        "features.assembly,   engine.lanes,      false",
        "features.lists,      attic.boxes,       false",
    })
    void an_import_is_judged_by_the_rooms_it_joins(String from, String to, boolean isAllowed) {
        assertThat(isAllowed(from, to)).isEqualTo(isAllowed);
    }

    private static boolean isAllowed(String from, String to) {
        int height = LAYERS.indexOf(layer(from));
        int target = LAYERS.indexOf(layer(to));
        boolean isNoun = to.equals(layer(to));
        if (from.equals(to)) {
            return true;
        }
        if (height < 0 || target < 0) {
            return false;
        }
        if (height == target) {
            return isNoun
                    || isAssembly(from)
                    || ALLOWED_IMPORTS.getOrDefault(from, Set.of()).contains(to);
        }
        if (isAssembly(to)) {
            return from.isEmpty() || (isAssembly(from) && height > target);
        }
        if (layer(to).equals("engine") && !isNoun && !from.isEmpty()) {
            return ALLOWED_IMPORTS.getOrDefault(from, Set.of()).contains(to);
        }
        return height > target;
    }

    /// Whether the package assembles its layer. Such a package may import all packages of the
    /// layer.
    private static boolean isAssembly(String room) {
        return room.endsWith(".assembly");
    }

    private static boolean isInside(Dependency dependency) {
        String name = dependency.getTargetClass().getBaseComponentType().getPackageName();
        return name.equals(ROOT_PACKAGE) || name.startsWith(ROOT_PACKAGE + ".");
    }

    /// Returns `engine.commit` for a type in dev.sluice.engine.commit, and the empty string for the
    /// composition root.
    private static String packageOf(JavaClass type) {
        String name = type.getBaseComponentType().getPackageName();
        return name.equals(ROOT_PACKAGE) ? "" : name.substring(ROOT_PACKAGE.length() + 1);
    }

    private static String layer(String room) {
        return room.split("\\.", 2)[0];
    }

    @Test
    void rooms_are_one_step_below_their_floor() {
        var deep = new TreeSet<String>();
        for (var type : SLUICE_CLASSES) {
            if (packageOf(type).split("\\.", -1).length > 2) {
                deep.add(type.getPackageName());
            }
        }
        assertThat(deep).isEmpty();
    }

    @Test
    void rooms_are_free_of_cycles() {
        slices().matching(ROOT_PACKAGE + ".(*).(*)..")
                .should()
                .beFreeOfCycles()
                .check(SLUICE_CLASSES);
    }

    @Test
    void sending_knows_no_database() {
        noClasses()
                .that()
                .resideInAPackage(ROOT_PACKAGE + ".engine.send")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(ROOT_PACKAGE + ".platform.db", "java.sql", "javax.sql")
                .check(SLUICE_CLASSES);
    }

    @Test
    void commits_know_no_socket() {
        noClasses()
                .that()
                .resideInAPackage(ROOT_PACKAGE + ".engine.commit")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("java.net..", "javax.net..", ROOT_PACKAGE + ".platform.http")
                .check(SLUICE_CLASSES);
    }

    /// A listener is called in a transaction; the nouns beside it know none.
    @Test
    void decisions_do_no_io_and_read_no_clock() {
        noClasses()
                .that(
                        nameMatching(
                                "dev\\.sluice\\.(engine\\.settle\\.(Verdict|CircuitBreaker"
                                    + "|CircuitEvidence|SlowStart|CooldownBackoff)"
                                    + "|gateway\\.destination\\.RetrySchedule"
                                    + "|gateway\\.filter\\.(Filter|FilterInput|FilterOperator)"
                                    + "|gateway\\.routing\\.Route"
                                    + "|engine\\.accept\\.\\w*(Verifier|Signer|Diagnosis|Advice|Validator)"
                                    + "|engine\\.signature\\..*"
                                    + "|engine\\.(?!ExpiryListener)[A-Z].*)(\\$.*)?"))
                .should()
                .dependOnClassesThat(
                        resideInAPackage("java.io..")
                                .or(resideInAPackage("java.nio.file.."))
                                .or(resideInAPackage("java.sql.."))
                                .or(resideInAPackage(ROOT_PACKAGE + ".platform.db"))
                                .or(nameMatching("java\\.time\\.(InstantSource|Clock)")))
                .check(SLUICE_CLASSES);
    }

    @Test
    void each_library_is_known_to_one_room() {
        LIBRARY_OWNER.forEach((library, room) ->
                noClasses()
                        .that()
                        .resideOutsideOfPackage(ROOT_PACKAGE + "." + room)
                        .should()
                        .dependOnClassesThat()
                        .resideInAPackage(library)
                        .check(SLUICE_CLASSES));
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
                                .or(resideInAPackage(ROOT_PACKAGE + ".."))
                                .or(resideInAPackage("org.slf4j.."))
                                .or(resideInAPackage("org.jspecify.annotations"))
                                .or(
                                        DescribedPredicate.describe(
                                                "are of a library with a room",
                                                ArchitectureTest::hasImporter)))
                .check(SLUICE_CLASSES);
    }

    private static boolean hasImporter(JavaClass type) {
        var name = type.getBaseComponentType();
        return name.isPrimitive()
                || LIBRARY_OWNER.keySet().stream()
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
                .check(SLUICE_CLASSES);
    }

    /// Whether the call reads the system's clock or sleeps. The root may create the clock that all
    /// others are given.
    private static boolean isTimeOfItsOwn(JavaCall<?> call) {
        String owner = call.getTargetOwner().getName();
        String method = call.getName();
        boolean isRoot = packageOf(call.getOriginOwner()).isEmpty();
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
                .resideOutsideOfPackages(NANO_TIME_PACKAGES)
                .should()
                .callMethod(System.class, "nanoTime")
                .check(SLUICE_CLASSES);
    }

    @Test
    void routes_are_built_by_the_assemblies_alone() {
        noClasses()
                .that(not(resideInAPackage(ROOT_PACKAGE + "..assembly")))
                .should(useRoutesOfOthers())
                .check(SLUICE_CLASSES);
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
                .that(not(resideInAPackage(ROOT_PACKAGE)))
                .should()
                .accessField(System.class, "out")
                .orShould()
                .accessField(System.class, "err")
                .orShould()
                .callMethod(Throwable.class, "printStackTrace")
                .check(SLUICE_CLASSES);
    }

    /// One class passes on what a library logs with another API.
    @Test
    void there_is_one_logging_api() {
        noClasses()
                .that()
                .doNotHaveSimpleName("SdkLogHandler")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("java.util.logging..", "org.apache.commons.logging..")
                .check(SLUICE_CLASSES);
    }

    @Test
    void no_field_is_public_and_mutable() {
        noFields().that().arePublic().should().notBeFinal().check(SLUICE_CLASSES);
    }

    /// What wakes a loop is a `Wake`, and any other callback is passed to a constructor. Nothing is
    /// wired after it was built, when it may already be running.
    @Test
    void callbacks_are_wired_by_constructors() {
        noFields().that().haveRawType(Runnable.class).should().notBeFinal().check(SLUICE_CLASSES);
        noMethods()
                .that()
                .haveNameMatching("on[A-Z].*")
                .should()
                .haveRawParameterTypes(Runnable.class)
                .check(SLUICE_CLASSES);
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
                .check(SLUICE_CLASSES);
    }

    /// Nobody else can: these methods are package-private.
    @Test
    void only_gates_authenticate_requests() {
        noClasses()
                .that()
                .doNotBelongToAnyOf(Gate.class, Authenticator.class)
                .should()
                .accessTargetWhere(
                        DescribedPredicate.describe(
                                "authenticates a request",
                                access ->
                                        access.getTargetOwner().isEquivalentTo(Authenticator.class)
                                                && Set.of(
                                                                "authenticate",
                                                                "authenticateStream",
                                                                "session")
                                                        .contains(access.getTarget().getName())))
                .check(SLUICE_CLASSES);
    }

    /// Besides `Api`, only the pages, the ingest URLs and the metrics port have routes.
    @Test
    void only_api_adds_management_routes() {
        noClasses()
                .that()
                .doNotBelongToAnyOf(
                        Router.class,
                        Api.class,
                        PageRoutes.class,
                        MetricsRoutes.class,
                        EngineAssembly.class)
                .should()
                .callMethodWhere(
                        target(owner(equivalentTo(Router.class)))
                                .and(
                                        target(
                                                nameMatching(
                                                        "get|post|put|patch|delete|mount|otherwise"))))
                .check(SLUICE_CLASSES);
    }
}
