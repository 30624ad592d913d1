package dev.sluice.faults.fuzz;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_16;
import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sluice.bench.platform.TextResource;

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

/// Turns a valid body, path or query into an invalid one.
final class RequestMutator {

    private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

    /// Writes non-ASCII characters as escapes, because that is the only way to write an unpaired
    /// surrogate.
    private static final JsonMapper ASCII_WRITER =
            JsonMapper.builder().enable(JsonWriteFeature.ESCAPE_NON_ASCII).build();

    private static final JsonNode CASES =
            JsonMapper.shared()
                    .readTree(TextResource.read(RequestMutator.class, "bad-values.json"));

    private static final List<JsonNode> BAD_VALUES = badValues();

    /// Literals that are inserted into a body's text in place of a value, because a tree of JSON
    /// values cannot contain them.
    private static final List<String> BAD_LITERALS = badLiterals();

    private static final List<String> BAD_SEGMENTS = texts("segments", "x".repeat(3_000));
    private static final List<String> BAD_QUERY_VALUES = texts("query_values", "x".repeat(5_000));

    private static final List<String> NO_OBJECTS = texts("no_objects");
    private static final String LITERAL_MARK = "the literal stands here";

    private final RandomGenerator random;
    private final SchemaValueGenerator values;

    RequestMutator(RandomGenerator random, SchemaValueGenerator values) {
        this.random = random;
        this.values = values;
    }

    /// Returns the values in the resource file, plus values that are too long for that file or
    /// cannot be written in plain JSON.
    private static List<JsonNode> badValues() {
        var values = new ArrayList<>(CASES.path("values").values());
        values.add(JSON.numberNode(new BigInteger("9".repeat(400))));
        values.add(JSON.numberNode(new BigDecimal("1E+400")));
        values.add(JSON.numberNode(new BigDecimal("-1E-999999")));
        values.add(JSON.stringNode("x".repeat(10_000)));
        values.add(JSON.stringNode("😀".repeat(3_000)));
        return List.copyOf(values);
    }

    /// Returns the literals in the resource file, plus literals that once made filters expensive:
    /// many operands, many empty lists, long numbers.
    private static List<String> badLiterals() {
        String zeros = "0,".repeat(2_700) + "0";
        String digits = "9".repeat(1_000);
        return texts(
                "literals",
                "[" + zeros + "]",
                "[" + "[],".repeat(60_000) + "[]]",
                "[" + (digits + ",").repeat(99) + digits + "]",
                "{\"path\":\"body.a\",\"op\":\"contains\",\"value\":[" + zeros + "]}",
                "{\"path\":\"body.a\",\"op\":\"gt\",\"value\":" + digits + "}");
    }

    /// Returns the strings under this name in the resource file, followed by `more`.
    static List<String> texts(String name, String... more) {
        var texts = new ArrayList<String>();
        CASES.path(name).forEach(text -> texts.add(text.asString()));
        texts.addAll(List.of(more));
        return List.copyOf(texts);
    }

    static byte[] bytes(JsonNode json) {
        return ASCII_WRITER.writeValueAsString(json).getBytes(UTF_8);
    }

    /// Returns a body that is still JSON but has one field added, removed or changed. A body that
    /// is not an object stays as it is.
    byte[] mutateFields(JsonNode good) {
        if (!(good.deepCopy() instanceof ObjectNode body)) {
            return bytes(good);
        }
        var objects = new ArrayList<ObjectNode>();
        collect(body, objects);
        var object = values.pick(objects);
        var names = List.copyOf(object.propertyNames());
        switch (names.isEmpty() ? 0 : random.nextInt(5)) {
            case 0 -> object.set("colour", values.anyJson());
            case 1 -> object.remove(values.pick(names));
            case 2 -> object.set(values.pick(names), values.anyJson());
            default -> object.set(values.pick(names), values.pick(BAD_VALUES));
        }
        return bytes(body);
    }

    /// Returns a body in which one value is replaced by text that no JSON writer would produce,
    /// such as a number whose exponent does not fit any type.
    byte[] insertLiteral(JsonNode good) {
        var body = good.deepCopy() instanceof ObjectNode object ? object : JSON.objectNode();
        var objects = new ArrayList<ObjectNode>();
        collect(body, objects);
        var object = values.pick(objects);
        var names = List.copyOf(object.propertyNames());
        object.put(names.isEmpty() ? "a" : values.pick(names), LITERAL_MARK);
        String literal = values.pick(BAD_LITERALS);
        return new String(bytes(body), UTF_8)
                .replace("\"" + LITERAL_MARK + "\"", literal)
                .getBytes(UTF_8);
    }

    private static void collect(JsonNode node, List<ObjectNode> objects) {
        if (node instanceof ObjectNode object) {
            objects.add(object);
        }
        node.forEach(child -> collect(child, objects));
    }

    /// Returns a body that is damaged as a whole: for example, it is not a JSON object, is not
    /// UTF-8, or is far too long.
    byte[] corruptBytes(JsonNode good) {
        String text = good.toString();
        return switch (random.nextInt(16)) {
            case 0 -> new byte[0];
            case 1 -> text.substring(0, random.nextInt(text.length())).getBytes(UTF_8);
            case 2 -> (text + "x").getBytes(UTF_8);
            case 3 -> text.getBytes(UTF_16);
            case 4 -> ("\ufeff" + text).getBytes(UTF_8);
            case 5 -> text.replaceFirst("\\{", "{\"name\":1,\"name\":2,").getBytes(UTF_8);
            case 14 -> text.replaceFirst("\"", "\"\u00c0\u00af").getBytes(ISO_8859_1);
            case 15 -> text.replaceFirst("\"", "\"\u00f4\u0090\u0080\u0080").getBytes(ISO_8859_1);
            case 6 -> text.replaceFirst("\"", "\"\u00ff\u00c0\u0080").getBytes(ISO_8859_1);
            case 7 -> text.replaceFirst("\"", "\"\u00ed\u00a0\u0080").getBytes(ISO_8859_1);
            case 8 -> text.replaceFirst(":", ":\t\u0001").getBytes(UTF_8);
            case 9 -> ("{\"name\":" + "[".repeat(20_000)).getBytes(UTF_8);
            case 10 -> ("{\"name\":1" + "0".repeat(5_000) + "}").getBytes(UTF_8);
            case 11 -> values.pick(NO_OBJECTS).getBytes(UTF_8);
            case 12 -> (text + " ".repeat(300_000)).getBytes(UTF_8);
            default -> noise();
        };
    }

    private byte[] noise() {
        byte[] noise = new byte[random.nextInt(1, 500)];
        random.nextBytes(noise);
        return noise;
    }

    /// Returns the path with one change: an extra slash, an invalid segment, or a scheme and host
    /// in front of it.
    String mutatePath(String good) {
        var segments = new ArrayList<>(List.of(good.split("/", -1)));
        return switch (random.nextInt(8)) {
            case 0 -> good + "/";
            case 1 -> good + "//";
            case 2 -> "/" + good;
            case 3 -> good + "/" + values.pick(BAD_SEGMENTS);
            case 4 -> "http://127.0.0.1" + good;
            default -> {
                segments.set(segments.size() - 1, values.pick(BAD_SEGMENTS));
                yield String.join("/", segments);
            }
        };
    }

    /// Returns a value that a query parameter does not accept, or a value meant for another
    /// parameter.
    String badQueryValue() {
        return values.pick(BAD_QUERY_VALUES);
    }
}
