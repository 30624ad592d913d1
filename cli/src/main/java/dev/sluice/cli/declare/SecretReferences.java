package dev.sluice.cli.declare;

import dev.sluice.cli.shell.JsonTree;
import dev.sluice.cli.shell.Shell;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;

/// Replaces references such as `${env:NAME}` in a file with secrets from environment variables. A
/// file must not contain the secrets themselves.
final class SecretReferences {

    /// The mask that the server shows instead of a secret.
    static final String MASK = "***";

    private static final Pattern REFERENCE = Pattern.compile("\\$\\{env:([A-Za-z_][A-Za-z0-9_]*)}");
    private static final Set<String> OBJECTS_WITH_SECRETS =
            Set.of("verification_config", "auth_config");
    private static final Set<String> SECRET_FIELDS =
            Set.of("secret", "previous_secret", "password", "key");

    private final Shell shell;
    private final Set<String> missing = new TreeSet<>();
    private final List<String> literals = new ArrayList<>();

    SecretReferences(Shell shell) {
        this.shell = shell;
    }

    static String reference(String variable) {
        return "${env:" + variable + "}";
    }

    /// Returns the value with every string of the form `${env:NAME}` replaced by the secret from
    /// that variable. Records a mistake for each secret that the file contains in plain text, and
    /// for each environment variable that is not set.
    ///
    /// @param place the value's place in the file, such as `sources[0].verification_config`
    /// @param item the resource that the value belongs to; its `secret_headers` field lists the
    ///   custom headers that are secret
    JsonNode fillIn(String place, JsonNode value, ObjectNode item) {
        String field = place.substring(place.lastIndexOf('.') + 1);
        var secretNames =
                OBJECTS_WITH_SECRETS.contains(field) ? SECRET_FIELDS : secretHeaders(field, item);
        for (String name : secretNames) {
            var secret = value.path(name);
            if (secret.isString() && !REFERENCE.matcher(secret.asString()).matches()) {
                literals.add(place + "." + name);
            }
        }
        return replaceAll(value);
    }

    private static Set<String> secretHeaders(String field, ObjectNode item) {
        var names = new TreeSet<String>();
        if (field.equals("custom_headers")) {
            item.path("secret_headers").valueStream().forEach(name -> names.add(name.asString("")));
        }
        return names;
    }

    private JsonNode replaceAll(JsonNode value) {
        if (value instanceof ObjectNode object) {
            var copy = JsonTree.object();
            object.properties()
                    .forEach(field -> copy.set(field.getKey(), replaceAll(field.getValue())));
            return copy;
        }
        if (value.isArray()) {
            var copy = JsonTree.object().arrayNode();
            value.valueStream().forEach(element -> copy.add(replaceAll(element)));
            return copy;
        }
        var reference = REFERENCE.matcher(value.isString() ? value.asString() : "");
        if (!reference.matches()) {
            return value;
        }
        String name = reference.group(1);
        return shell.variable(name)
                .<JsonNode>map(JsonTree.object()::stringNode)
                .orElseGet(() -> {
                    missing.add(name);
                    return value;
                });
    }

    /// Returns the mistakes found so far, as sentences.
    List<String> mistakes() {
        var mistakes = new ArrayList<String>();
        for (String place : literals) {
            mistakes.add(
                    place
                            + " must not be in the file: name a variable instead, such as "
                            + reference("SHOP_SECRET")
                            + ".");
        }
        if (!missing.isEmpty()) {
            mistakes.add(
                    "These environment variables are not set: " + String.join(", ", missing) + ".");
        }
        return mistakes;
    }
}
