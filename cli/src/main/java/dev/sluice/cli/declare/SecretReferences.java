package dev.sluice.cli.declare;

import dev.sluice.cli.shell.JsonTree;
import dev.sluice.cli.shell.Shell;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Replaces references such as `${env:NAME}` in a file with secrets from environment variables. A
/// file must not contain the secrets themselves.
///
/// References are filled in only where a secret belongs, because whoever can write a description
/// could otherwise read the environment of whoever applies the file. Everywhere in the file,
/// `$${env:` stands for the text `${env:`.
final class SecretReferences {

    /// The mask that the server shows instead of a secret.
    static final String MASK = "***";

    private static final String START = "${env:";
    private static final Pattern REFERENCE =
            Pattern.compile("(\\$?)\\$\\{env:(?:([A-Za-z_][A-Za-z0-9_]*)})?");
    private static final Set<String> OBJECTS_WITH_SECRETS =
            Set.of("verification_config", "auth_config");
    private static final Set<String> SECRET_FIELDS =
            Set.of("secret", "previous_secret", "password", "key");

    /// The field of a source that may be a reference and may also be in the file as it is.
    private static final String TOKEN = "token";

    private enum SecretUse {
        SECRET,
        SECRET_OR_TEXT,
        TEXT
    }

    private final Shell shell;
    private final Set<String> missing = new TreeSet<>();
    private final List<String> literals = new ArrayList<>();
    private final List<String> misplaced = new ArrayList<>();

    SecretReferences(Shell shell) {
        this.shell = shell;
    }

    static String reference(String variable) {
        return START + variable + "}";
    }

    /// Returns the text as it must be written in a file, so that nothing in it is a reference.
    static String escaped(String text) {
        return text.replace(START, "$" + START);
    }

    /// Returns the text that [#escaped] was given.
    static String unescaped(String text) {
        return text.replace("$" + START, START);
    }

    /// Returns the value with each reference in a secret replaced by the variable's value. Records
    /// a mistake for each secret that the file contains in plain text, for each reference outside a
    /// secret, and for each environment variable that is not set.
    ///
    /// @param field the value's field in the resource, such as `verification_config`
    /// @param resource the resource's place in the file, such as `sources[0]`
    /// @param item the resource; its `secret_headers` field lists the custom headers that are
    ///   secret
    JsonNode fillIn(String resource, String field, JsonNode value, ObjectNode item) {
        var secretNames =
                OBJECTS_WITH_SECRETS.contains(field) ? SECRET_FIELDS : secretHeaders(field, item);
        var use = field.equals(TOKEN) ? SecretUse.SECRET_OR_TEXT : SecretUse.TEXT;
        return replaced(resource + "." + field, value, use, secretNames);
    }

    private static Set<String> secretHeaders(String field, ObjectNode item) {
        var names = new TreeSet<>(String.CASE_INSENSITIVE_ORDER);
        if (field.equals("custom_headers")) {
            item.path("secret_headers").valueStream().forEach(name -> names.add(name.asString("")));
        }
        return names;
    }

    /// @param use what a string is; in an object or a list, strings are texts, except for the
    ///   members of the object that `secretNames` lists
    private JsonNode replaced(
            String place, JsonNode value, SecretUse use, Set<String> secretNames) {
        if (value instanceof ObjectNode object) {
            var copy = JsonTree.object();
            object.properties()
                    .forEach(entry -> {
                        String name = entry.getKey();
                        var own = secretNames.contains(name) ? SecretUse.SECRET : SecretUse.TEXT;
                        copy.set(
                                name,
                                replaced(place + "." + name, entry.getValue(), own, Set.of()));
                    });
            return copy;
        }
        if (value.isArray()) {
            var copy = JsonTree.object().arrayNode();
            for (int i = 0; i < value.size(); i++) {
                String element = place + "[" + i + "]";
                copy.add(replaced(element, value.get(i), SecretUse.TEXT, Set.of()));
            }
            return copy;
        }
        return value.isString()
                ? JsonTree.object().stringNode(replaced(place, value.asString(), use))
                : value;
    }

    private String replaced(String place, String text, SecretUse use) {
        var filled = new StringBuilder();
        boolean hasReference = false;
        var reference = REFERENCE.matcher(text);
        while (reference.find()) {
            String name = reference.group(2);
            String replacement = reference.group();
            if (!reference.group(1).isEmpty()) {
                replacement = replacement.substring(1);
            } else if (use == SecretUse.TEXT) {
                misplaced.add(place);
            } else if (name != null) {
                hasReference = true;
                replacement = variable(name);
            }
            reference.appendReplacement(filled, Matcher.quoteReplacement(replacement));
        }
        if (use == SecretUse.SECRET && !hasReference) {
            literals.add(place);
        }
        return reference.appendTail(filled).toString();
    }

    private String variable(String name) {
        var value = shell.variable(name);
        if (value.isEmpty()) {
            missing.add(name);
        }
        return value.orElse("");
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
        for (String place : misplaced) {
            mistakes.add(
                    place
                            + " is no secret, and environment variables are filled in only in"
                            + " secrets. Write $"
                            + START
                            + " for the text "
                            + START
                            + ".");
        }
        if (!missing.isEmpty()) {
            mistakes.add(
                    "These environment variables are not set: " + String.join(", ", missing) + ".");
        }
        return mistakes;
    }
}
