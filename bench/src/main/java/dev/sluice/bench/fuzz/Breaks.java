package dev.sluice.bench.fuzz;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_16;
import static java.nio.charset.StandardCharsets.UTF_8;

import tools.jackson.core.json.JsonWriteFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGenerator;

/// Ways to make a good body, path or query a bad one.
final class Breaks {

    private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

    /// Half of a surrogate pair can only be written with an escape.
    private static final JsonMapper WRITER =
            JsonMapper.builder().enable(JsonWriteFeature.ESCAPE_NON_ASCII).build();

    private static final List<JsonNode> VALUES =
            List.of(
                    JSON.nullNode(),
                    JSON.booleanNode(true),
                    JSON.numberNode(-1),
                    JSON.numberNode(0),
                    JSON.numberNode(1.5),
                    JSON.numberNode(Integer.MAX_VALUE + 1L),
                    JSON.numberNode(new BigInteger("9".repeat(400))),
                    JSON.numberNode(new BigDecimal("1E+400")),
                    JSON.numberNode(new BigDecimal("-1E-999999")),
                    JSON.stringNode(""),
                    JSON.stringNode(" "),
                    JSON.stringNode("***"),
                    JSON.stringNode("a\0b"),
                    JSON.stringNode("\ud800"),
                    JSON.stringNode("\udc00a"),
                    JSON.stringNode("\r\nX-Injected: 1"),
                    JSON.stringNode("'; drop table source; --"),
                    JSON.stringNode("<script>alert(1)</script>"),
                    JSON.stringNode("http://[::1]/"),
                    JSON.stringNode("http://2130706433:99999/%zz"),
                    JSON.stringNode("x".repeat(10_000)),
                    JSON.stringNode("😀".repeat(3_000)),
                    JSON.arrayNode(),
                    JSON.arrayNode().add(JSON.arrayNode().add(JSON.nullNode())),
                    JSON.objectNode(),
                    JSON.objectNode().put("", ""),
                    JSON.objectNode().put("a\0b", "\ud800"));

    private static final List<String> SEGMENTS =
            List.of(
                    "not-a-uuid",
                    "018F3C5E-7A00-7BBB-8CCC-2D5E6F708192",
                    "1-1-1-1-1",
                    "00000000-0000-0000-0000-000000000000",
                    "ffffffff-ffff-ffff-ffff-ffffffffffff",
                    "%00",
                    "%zz",
                    "%",
                    "%ff%fe",
                    "%2e%2e",
                    "..",
                    "a%2Fb",
                    "a;b=c",
                    "%E2%82%AC",
                    "\u00e2\u0082\u00ac",
                    "*",
                    "'",
                    "trash",
                    "x".repeat(3_000),
                    "");

    private static final List<String> QUERIES =
            List.of(
                    "",
                    "0",
                    "-1",
                    "201",
                    "1.5",
                    "2147483648",
                    "99999999999999999999",
                    "one",
                    "%00",
                    "%zz",
                    "%ff",
                    "%C0%80",
                    "%F0%9F%98%80",
                    "%27%20or%201=1--",
                    "%25_",
                    "+",
                    "018f3c5e-7a00-7bbb-8ccc-2d5e6f708192",
                    "018f3c5e",
                    "verified",
                    "2026-01-02T03:04:05Z",
                    "2026-02-30T00:00:00Z",
                    "%2B999999999-12-31T23:59:59Z",
                    "-999999999-01-01T00:00:00Z",
                    "0000-01-01T00:00:00Z",
                    "2026-01-02T03:04:05%2B18:00",
                    "x".repeat(5_000));

    private final RandomGenerator random;
    private final Values values;

    Breaks(RandomGenerator random, Values values) {
        this.random = random;
        this.values = values;
    }

    static byte[] bytes(JsonNode json) {
        return WRITER.writeValueAsString(json).getBytes(UTF_8);
    }

    /// A body that is JSON still, one thing in it changed.
    byte[] changed(JsonNode good) {
        if (!(good.deepCopy() instanceof ObjectNode body)) {
            return bytes(good);
        }
        var objects = new ArrayList<ObjectNode>();
        collect(body, objects);
        var object = values.any(objects);
        var names = List.copyOf(object.propertyNames());
        switch (names.isEmpty() ? 0 : random.nextInt(5)) {
            case 0 -> object.set("colour", values.anything());
            case 1 -> object.remove(values.any(names));
            case 2 -> object.set(values.any(names), values.anything());
            default -> object.set(values.any(names), values.any(VALUES));
        }
        return bytes(body);
    }

    private static void collect(JsonNode node, List<ObjectNode> objects) {
        if (node instanceof ObjectNode object) {
            objects.add(object);
        }
        node.forEach(child -> collect(child, objects));
    }

    /// A body that is no JSON object, or not in UTF-8, or far too long.
    byte[] spoiled(JsonNode good) {
        String text = good.toString();
        return switch (random.nextInt(14)) {
            case 0 -> new byte[0];
            case 1 -> text.substring(0, random.nextInt(text.length())).getBytes(UTF_8);
            case 2 -> (text + "x").getBytes(UTF_8);
            case 3 -> text.getBytes(UTF_16);
            case 4 -> ("\ufeff" + text).getBytes(UTF_8);
            case 5 -> text.replaceFirst("\\{", "{\"name\":1,\"name\":2,").getBytes(UTF_8);
            case 6 -> text.replaceFirst("\"", "\"\u00ff\u00c0\u0080").getBytes(ISO_8859_1);
            case 7 -> text.replaceFirst("\"", "\"\u00ed\u00a0\u0080").getBytes(ISO_8859_1);
            case 8 -> text.replaceFirst(":", ":\t\u0001").getBytes(UTF_8);
            case 9 -> ("{\"name\":" + "[".repeat(20_000)).getBytes(UTF_8);
            case 10 -> ("{\"name\":1" + "0".repeat(5_000) + "}").getBytes(UTF_8);
            case 11 ->
                    values.any(List.of("[]", "null", "1", "\"a\"", "true", "{]", "NaN"))
                            .getBytes(UTF_8);
            case 12 -> (text + " ".repeat(300_000)).getBytes(UTF_8);
            default -> noise();
        };
    }

    private byte[] noise() {
        byte[] noise = new byte[random.nextInt(1, 500)];
        random.nextBytes(noise);
        return noise;
    }

    /// A path with one segment that is not what it must be.
    String path(String good) {
        var segments = new ArrayList<>(List.of(good.split("/", -1)));
        return switch (random.nextInt(8)) {
            case 0 -> good + "/";
            case 1 -> good + "//";
            case 2 -> "/" + good;
            case 3 -> good + "/" + values.any(SEGMENTS);
            case 4 -> "http://127.0.0.1" + good;
            default -> {
                segments.set(segments.size() - 1, values.any(SEGMENTS));
                yield String.join("/", segments);
            }
        };
    }

    /// A value that a query parameter may not take, or one of another parameter.
    String queryValue() {
        return values.any(QUERIES);
    }
}
