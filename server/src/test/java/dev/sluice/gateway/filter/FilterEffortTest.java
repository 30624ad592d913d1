package dev.sluice.gateway.filter;

import static org.assertj.core.api.Assertions.assertThat;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sluice.engine.Payload;
import dev.sluice.platform.http.Header;
import dev.sluice.platform.json.Effort;
import dev.sluice.platform.json.JsonDocument;
import dev.sluice.testkit.Nightly;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.stream.Stream;

/// Tests what filters may cost: the effort at ingest is in proportion to parsing the body, and
/// without that bound it is linear in the body.
class FilterEffortTest {

    private static final int BODY_BYTES = 180_000;

    /// As many as a source may have.
    private static final int MAX_CONNECTIONS = 1_000;

    /// No rule spends more than this for each byte of the body, whatever the rule and the body are.
    private static final int MAX_EFFORT_PER_BYTE = 60;

    /// What a rule spends whatever the body is.
    private static final int MAX_EFFORT_PER_RULE = 10_000;

    /// What all filters of an event may take at ingest, parsing included: this multiple of the CPU
    /// time of parsing the same body, and a constant. Decision 20 and the page of limits say so.
    private static final double MAX_RATIO = 4;

    private static final double MAX_CONSTANT_NANOS = 250_000;

    /// How often an attack is measured. The shortest time counts, because other load can only add
    /// to it. The first rounds also let the code be compiled, which takes hundreds of rounds while
    /// the machine is busy.
    private static final int MAX_ROUNDS = 4_000;

    /// Parts of a list or an object, of which a body is made.
    private static final List<String> ELEMENTS =
            List.of(
                    "[]",
                    "{}",
                    "0",
                    "\"\"",
                    "[0]",
                    "[[[]]]",
                    "true",
                    "1e-9",
                    "1".repeat(999),
                    "0." + "0".repeat(900) + "1",
                    "\"abcdefghij\"",
                    "\"" + "\\u0061".repeat(40) + "\"",
                    "\"" + "\u20ac".repeat(40) + "\"",
                    "\"" + "a".repeat(5_000) + "\"",
                    "\"" + "aaaaaaab".repeat(500) + "\"",
                    "{\"b\":1}",
                    "{\"b\":1,\"b\":1,\"\\u0062\":2}",
                    "[" + "0,".repeat(2_698) + "0]",
                    "       0");

    private static final List<String> NAMES =
            List.of("b", "\\u0062", "c", "n".repeat(200), "\\n", "0");

    private static final List<String> STRINGS =
            List.of(
                    "\"zz\"",
                    "\"aaaaaaaa\"",
                    "\"aaaaaaaaaaaaaaab\"",
                    "\"" + "a".repeat(4_000) + "b" + "a".repeat(4_000) + "\"",
                    "\"" + "a".repeat(8_000) + "\"",
                    "\"\u20ac\u20ac\u20ac\u20ac\u20ac\u20ac\u20ac\u20ac\u20acx\"",
                    "\"abcdefghik\"");

    private static final List<String> VALUES =
            List.of(
                    "0.5",
                    "1e-99",
                    "1".repeat(998) + "2",
                    "[]",
                    "[1]",
                    "{\"b\":2}",
                    "{\"c\":1}",
                    "{\"b\":1,\"c\":2}",
                    "[" + "0,".repeat(2_699) + "1]",
                    "[[[0]]]",
                    "false");

    private static final List<String> PATHS =
            List.of(
                    "body.a",
                    "body.a",
                    "body.a.b",
                    "body.a.0",
                    "body.a.99999999",
                    "body.a.b.b",
                    "body.a." + "n".repeat(200),
                    "headers.x-a");

    private static volatile Object sink = "";

    record Attack(List<Filter> filters, List<Header> headers, Payload payload) {

        static Attack of(String rule, int rules, String body) {
            var json =
                    "{\"operator\":\"or\",\"rules\":["
                            + String.join(",", Collections.nCopies(rules, rule))
                            + "]}";
            return new Attack(List.of(Filter.parseStored(json)), List.of(), payloadOf(body));
        }

        List<FilterResult> evaluate(FilterInput input) {
            return filters.stream().map(filter -> filter.evaluate(input)).toList();
        }

        byte[] body() {
            return payload.body();
        }

        FilterInput atIngest() {
            return FilterInput.atIngest(headers, body());
        }
    }

    private static Payload payloadOf(String body) {
        return Payload.of(List.of(), body.getBytes(UTF_8));
    }

    private static String rule(String path, String op, String value) {
        return "{\"path\":\"%s\",\"op\":\"%s\",\"value\":%s}".formatted(path, op, value);
    }

    private static String list(String element, int bytes) {
        return "{\"a\":[" + (element + ",").repeat(bytes / (element.length() + 1)) + element + "]}";
    }

    /// The inputs with which the bound was once found missing, and their siblings.
    private static Stream<Attack> knownAttacks() {
        String zeros = "[" + "0,".repeat(2_699) + "0]";
        String ones = "1".repeat(999);
        return Stream.of(
                Attack.of(rule("body.a", "contains", zeros), 1, list("[]", BODY_BYTES)),
                Attack.of(rule("body.a", "contains", zeros), 5, list("[]", BODY_BYTES)),
                Attack.of(rule("body.a", "contains", zeros), 30, list("[0,0,0]", BODY_BYTES)),
                Attack.of(rule("body.a", "contains", ones + "2"), 50, list(ones, BODY_BYTES)),
                Attack.of(rule("body.a.0", "gt", ones), 50, list(ones, BODY_BYTES)),
                Attack.of(rule("body.a", "contains", "2"), 50, list("1", 1 << 20)),
                Attack.of(rule("body.a", "in", "[[1],{\"b\":2}]"), 50, list("{\"b\":1}", 1 << 20)),
                Attack.of(
                        rule("body.a.0", "contains", "\"" + "a".repeat(4_000) + "b\""),
                        50,
                        list("\"" + "a".repeat(1 << 19) + "\"", 1)));
    }

    @ParameterizedTest
    @MethodSource("knownAttacks")
    void what_ingest_cannot_afford_is_undecided(Attack attack) {
        var unlimited = Effort.unlimited();

        assertThat(attack.evaluate(attack.atIngest())).doesNotContain(FilterResult.PASSES);
        assertThat(attack.evaluate(FilterInput.of(List.of(), attack.body(), unlimited)))
                .containsOnly(FilterResult.FILTERED);
        assertThat(unlimited.spent())
                .isLessThan(
                        50L * (MAX_EFFORT_PER_RULE + MAX_EFFORT_PER_BYTE * attack.body().length));
    }

    @Test
    void the_attacks_that_took_seconds_take_no_more_than_their_share() {
        knownAttacks()
                .forEach(attack ->
                        assertThat(excessNanos(attack)).isLessThanOrEqualTo(MAX_CONSTANT_NANOS));
    }

    @Test
    void a_filter_of_the_usual_kind_is_decided_at_ingest() {
        String body =
                "{\"id\":\"evt_1\",\"type\":\"invoice.paid\",\"data\":{\"amount\":1299,\"currency\":\"eur\","
                    + "\"customer\":{\"email\":\"ann@example.com\"},\"tags\":[\"gift\",\"new\"]}}";
        var rules =
                List.of(
                        rule("body.type", "in", "[\"invoice.paid\",\"invoice.open\"]"),
                        rule("body.data.amount", "gt", "99.90"),
                        rule("body.data.customer.email", "contains", "\"@example.com\""),
                        rule("body.data.tags", "contains", "\"gift\""),
                        rule("headers.X-Topic", "ne", "\"test\""));
        var filter =
                Filter.parseStored(
                        "{\"operator\":\"and\",\"rules\":[" + String.join(",", rules) + "]}");
        var input = FilterInput.atIngest(List.of(), body.getBytes(UTF_8));

        for (int connection = 0; connection < 100; connection++) {
            assertThat(filter.evaluate(input)).isEqualTo(FilterResult.PASSES);
        }
    }

    /// Searches for rules and bodies that spend more than their share, without measuring time: the
    /// effort of a rule is at most linear in the body.
    @Test
    void no_generated_rule_spends_more_than_in_proportion_to_the_body() {
        double most = 0;
        for (int seed = 0; seed < 1_500; seed++) {
            var attack = generated(new Random(seed), 8_000, 1);
            var effort = Effort.unlimited();
            attack.evaluate(FilterInput.of(List.of(), attack.body(), effort));

            long own = Math.max(0, effort.spent() - MAX_EFFORT_PER_RULE);
            most = Math.max(most, (double) own / attack.body().length);
            assertThat(own)
                    .as("seed %s", seed)
                    .isLessThanOrEqualTo((long) MAX_EFFORT_PER_BYTE * attack.body().length);
        }
        assertThat(most).as("the search comes near what it looks for").isGreaterThan(10);
    }

    /// Searches for rules, headers and bodies whose CPU time at ingest is above the bound: large
    /// bodies and small ones, many headers, rules that look at headers only, many connections.
    @Nightly
    @Test
    void filters_take_at_most_four_times_the_cpu_of_parsing_and_a_constant() {
        double worst = Double.NEGATIVE_INFINITY;
        String worstSeed = "";
        for (int seed = 0; seed < 25; seed++) {
            for (var shape : AttackShape.values()) {
                double excess = excessNanos(generated(new Random(seed), shape));
                if (excess > worst) {
                    worst = excess;
                    worstSeed = shape + " " + seed;
                }
            }
        }
        System.out.printf(
                Locale.ROOT,
                "filters take %.0f \u00b5s more than four times the CPU of parsing (%s)%n",
                worst / 1_000,
                worstSeed);
        assertThat(worst).as(worstSeed).isLessThanOrEqualTo(MAX_CONSTANT_NANOS);
    }

    private enum AttackShape {
        LARGE_BODY,
        SMALL_BODY,
        MANY_CONNECTIONS,
        HEADERS_ONLY
    }

    private static Attack generated(Random random, AttackShape shape) {
        return switch (shape) {
            case LARGE_BODY -> generated(random, BODY_BYTES, 50);
            case SMALL_BODY -> generated(random, 1 + random.nextInt(2_000), 50);
            case MANY_CONNECTIONS -> {
                var one = generated(random, random.nextInt(20_000), 4).filters();
                var filters = new ArrayList<Filter>();
                for (int connection = 0; connection < MAX_CONNECTIONS; connection++) {
                    filters.add(one.get(connection % one.size()));
                }
                var small = generatedBody(random, random.nextInt(2_000));
                yield new Attack(filters, List.of(), payloadOf(small));
            }
            case HEADERS_ONLY -> generatedForHeaders(random);
        };
    }

    /// As many headers as a request may have, with names of one length that differ only at their
    /// ends, and a rule for each of many names.
    private static Attack generatedForHeaders(Random random) {
        int nameLength = 8 + random.nextInt(180);
        int valueLength = random.nextInt(200);
        int count = 30_000 / (nameLength + valueLength + 4);
        var headers = new ArrayList<Header>();
        for (int i = 0; i < count; i++) {
            headers.add(new Header(headerName(nameLength, i), "a".repeat(valueLength)));
        }
        var filters = new ArrayList<Filter>();
        boolean isFound = random.nextBoolean();
        for (int connection = 0; connection < 100; connection++) {
            var rules = new ArrayList<String>();
            for (int i = 0; i < 50; i++) {
                int name = connection * 50 + i + (isFound ? 0 : 10_000);
                rules.add(
                        rule(
                                "headers." + headerName(nameLength, name),
                                oneOf(random, List.of("eq", "contains", "gt")),
                                oneOf(random, STRINGS)));
            }
            filters.add(
                    Filter.parseStored(
                            "{\"operator\":\"or\",\"rules\":[" + String.join(",", rules) + "]}"));
        }
        return new Attack(filters, headers, payloadOf(random.nextBoolean() ? "{}" : ""));
    }

    private static String headerName(int length, int number) {
        String end = Integer.toString(number);
        return "x" + "a".repeat(Math.max(0, length - 1 - end.length())) + end;
    }

    private static Attack generated(Random random, int bodyBytes, int rules) {
        var filters = new ArrayList<Filter>();
        for (int connection = rules == 1 ? 1 : 3; connection > 0; connection--) {
            var texts = new ArrayList<String>();
            for (int left = rules; left > 0; left--) {
                texts.add(generatedRule(random));
            }
            filters.add(
                    Filter.parseStored(
                            "{\"operator\":\"%s\",\"rules\":[%s]}"
                                    .formatted(
                                            random.nextBoolean() ? "and" : "or",
                                            String.join(",", texts))));
        }
        return new Attack(filters, List.of(), payloadOf(generatedBody(random, bodyBytes)));
    }

    private static String generatedRule(Random random) {
        String path = oneOf(random, PATHS);
        return switch (random.nextInt(6)) {
            case 0 -> rule(path, "exists", "true");
            case 1 -> rule(path, "eq", oneOf(random, random.nextBoolean() ? STRINGS : VALUES));
            case 2 -> rule(path, random.nextBoolean() ? "gt" : "lt", oneOf(random, STRINGS));
            case 3 ->
                    rule(
                            path,
                            "in",
                            "[\"y\",{},[0],0.7,%s]".formatted(oneOf(random, VALUES.subList(0, 6))));
            default ->
                    rule(path, "contains", oneOf(random, random.nextBoolean() ? STRINGS : VALUES));
        };
    }

    private static String generatedBody(Random random, int bytes) {
        if (random.nextInt(4) == 0) {
            String part = oneOf(random, List.of("a", "aaaaaaab", "\\u0061", "\\n", "\u20ac"));
            return "{\"a\":\"" + part.repeat(bytes / part.length()) + "\"}";
        }
        boolean isList = random.nextBoolean();
        var kinds = List.of(oneOf(random, ELEMENTS), oneOf(random, ELEMENTS));
        var body = new StringBuilder(isList ? "{\"a\":[0" : "{\"a\":{\"z\":0");
        String name = oneOf(random, NAMES);
        while (body.length() < bytes) {
            body.append(isList ? "," : ",\"" + name + "\":")
                    .append(random.nextInt(8) == 0 ? kinds.get(1) : kinds.get(0));
        }
        return body.append(isList ? "]}" : "}}").toString();
    }

    private static <T> T oneOf(Random random, List<T> choices) {
        return choices.get(random.nextInt(choices.size()));
    }

    /// Returns by how much the CPU time of all filters at ingest, parsing included, exceeds
    /// [#MAX_RATIO] times that of parsing. Stops measuring once that is within the bound.
    private static double excessNanos(Attack attack) {
        double parsing = Double.MAX_VALUE;
        double all = Double.MAX_VALUE;
        for (int round = 0;
                round < MAX_ROUNDS && (round < 5 || all - MAX_RATIO * parsing > MAX_CONSTANT_NANOS);
                round++) {
            parsing = Math.min(parsing, cpuNanos(() -> sink = JsonDocument.read(attack.body())));
            all = Math.min(all, cpuNanos(() -> sink = attack.evaluate(attack.atIngest())));
        }
        return all - MAX_RATIO * parsing;
    }

    private static double cpuNanos(Runnable work) {
        var threads = ManagementFactory.getThreadMXBean();
        long before = threads.getCurrentThreadCpuTime();
        work.run();
        return threads.getCurrentThreadCpuTime() - before;
    }
}
