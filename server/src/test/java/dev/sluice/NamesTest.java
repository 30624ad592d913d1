package dev.sluice;

import static org.assertj.core.api.Assertions.assertThat;

import static java.util.stream.Collectors.joining;

import com.sun.source.tree.ClassTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.MethodTree;
import com.sun.source.tree.Tree;
import com.sun.source.tree.VariableTree;
import com.sun.source.util.JavacTask;
import com.sun.source.util.SourcePositions;
import com.sun.source.util.TreePathScanner;
import com.sun.source.util.Trees;

import dev.sluice.SourceCode.SourceFile;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import javax.lang.model.element.Modifier;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;

/// Tests rules for names, for the length of methods in the root package and for the number of
/// constructor parameters, in the main sources of all modules.
class NamesTest {

    private static final String ROOT_PACKAGE = "dev.sluice";
    private static final int MAX_ROOT_METHOD_LINES = 80;
    private static final int MAX_CONSTRUCTOR_PARAMETERS = 8;

    enum NameRule {
        /// Two types must not share a simple name: a reader who searches for one finds the other.
        ONE_TYPE_PER_NAME,
        /// Limits are called `MAX_` and `MIN_`.
        NO_MOST_OR_LEAST,
        /// A method in the root package stays short enough to read the start order from it.
        SHORT_ROOT_METHODS,
        /// What travels together is a record, so constructors stay short.
        SHORT_CONSTRUCTORS
    }

    record NameViolation(NameRule rule, String name) {}

    /// The declarations in all sources that the rules concern.
    private static final class Declarations extends TreePathScanner<Void, Void> {

        private final SourcePositions positions;
        private final Map<String, Integer> types = new TreeMap<>();
        private final List<String> fields = new ArrayList<>();
        private final Map<String, Long> rootMethodLines = new TreeMap<>();
        private final Map<String, Integer> constructorParameters = new TreeMap<>();

        private Declarations(SourcePositions positions) {
            this.positions = positions;
        }

        static Declarations parse(List<SourceFile> sources) {
            var compiler = ToolProvider.getSystemJavaCompiler();
            var files = sources.stream().map(InMemorySource::new).toList();
            var task = (JavacTask) compiler.getTask(null, null, null, List.of(), null, files);
            var declarations = new Declarations(Trees.instance(task).getSourcePositions());
            try {
                task.parse().forEach(unit -> declarations.scan(unit, null));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            return declarations;
        }

        @Override
        public Void visitClass(ClassTree type, Void unused) {
            if (!type.getSimpleName().isEmpty()) {
                types.merge(type.getSimpleName().toString(), 1, Integer::sum);
            }
            int components = 0;
            for (var member : type.getMembers()) {
                if (member instanceof VariableTree field) {
                    fields.add(field.getName().toString());
                    if (!field.getModifiers().getFlags().contains(Modifier.STATIC)) {
                        components++;
                    }
                }
                if (member instanceof MethodTree method
                        && method.getName().contentEquals("<init>")) {
                    noteConstructor(type, method.getParameters().size());
                }
            }
            if (type.getKind() == Tree.Kind.RECORD) {
                noteConstructor(type, components);
            }
            return super.visitClass(type, null);
        }

        private void noteConstructor(ClassTree type, int parameters) {
            constructorParameters.merge(type.getSimpleName().toString(), parameters, Math::max);
        }

        @Override
        public Void visitMethod(MethodTree method, Void unused) {
            var unit = getCurrentPath().getCompilationUnit();
            if (ROOT_PACKAGE.equals(String.valueOf(unit.getPackageName()))) {
                rootMethodLines.merge(method.getName().toString(), lines(unit, method), Math::max);
            }
            return super.visitMethod(method, null);
        }

        private long lines(CompilationUnitTree unit, Tree tree) {
            var map = unit.getLineMap();
            return map.getLineNumber(positions.getEndPosition(unit, tree))
                    - map.getLineNumber(positions.getStartPosition(unit, tree))
                    + 1;
        }
    }

    private static final class InMemorySource extends SimpleJavaFileObject {

        private final String text;

        InMemorySource(SourceFile source) {
            super(URI.create("string:///" + source.path()), JavaFileObject.Kind.SOURCE);
            text = source.text();
        }

        @Override
        public CharSequence getCharContent(boolean ignoreEncodingErrors) {
            return text;
        }
    }

    private static List<NameViolation> violations(List<SourceFile> sources) {
        var declarations = Declarations.parse(sources);
        var violations = new ArrayList<NameViolation>();
        declarations.types.forEach((name, count) -> {
            if (count > 1) {
                violations.add(new NameViolation(NameRule.ONE_TYPE_PER_NAME, name));
            }
        });
        for (String name : declarations.fields) {
            if (name.startsWith("MOST_") || name.startsWith("LEAST_")) {
                violations.add(new NameViolation(NameRule.NO_MOST_OR_LEAST, name));
            }
        }
        declarations.rootMethodLines.forEach((name, lines) -> {
            if (lines > MAX_ROOT_METHOD_LINES) {
                violations.add(new NameViolation(NameRule.SHORT_ROOT_METHODS, name));
            }
        });
        declarations.constructorParameters.forEach((name, parameters) -> {
            if (parameters > MAX_CONSTRUCTOR_PARAMETERS) {
                violations.add(new NameViolation(NameRule.SHORT_CONSTRUCTORS, name));
            }
        });
        return violations;
    }

    @Test
    void the_main_sources_of_all_modules_keep_the_rules() {
        assertThat(violations(SourceCode.mainSources())).isEmpty();
    }

    @Test
    void the_sources_of_every_module_are_read() {
        assertThat(SourceCode.mainSources())
                .extracting(source -> source.path().substring(0, source.path().indexOf('/')))
                .contains("contract", "server", "cli", "bench", "faults");
    }

    @ParameterizedTest
    @MethodSource("samples")
    void each_rule_refuses_what_breaks_it(List<String> sources, List<NameViolation> expected) {
        var files = new ArrayList<SourceFile>();
        for (String source : sources) {
            files.add(new SourceFile("Sample" + files.size() + ".java", source));
        }

        assertThat(violations(files)).isEqualTo(expected);
    }

    static Stream<Arguments> samples() {
        return Stream.of(
                sample(
                        List.of(
                                "package a; class Lease { static final int MAX_AGE = 1; }",
                                "package b; record Permit(int mostUsed) {}")),
                sample(
                        List.of("package a; class Lease {}", "package b; record Lease() {}"),
                        new NameViolation(NameRule.ONE_TYPE_PER_NAME, "Lease")),
                sample(
                        List.of(
                                "package a; interface Node { enum State { UP } }",
                                "package b; class Lane { private @interface State {} }"),
                        new NameViolation(NameRule.ONE_TYPE_PER_NAME, "State")),
                sample(
                        List.of(
                                "package a; class Lane { private static final int MOST_ROWS = 1;"
                                        + " }"),
                        new NameViolation(NameRule.NO_MOST_OR_LEAST, "MOST_ROWS")),
                sample(
                        List.of("package a; interface Lane { class Key { int LEAST_SIZE; } }"),
                        new NameViolation(NameRule.NO_MOST_OR_LEAST, "LEAST_SIZE")),
                sample(
                        List.of(method("dev.sluice", MAX_ROOT_METHOD_LINES + 1)),
                        new NameViolation(NameRule.SHORT_ROOT_METHODS, "open")),
                sample(List.of(method("dev.sluice", MAX_ROOT_METHOD_LINES))),
                sample(List.of(method("dev.sluice.relay", MAX_ROOT_METHOD_LINES + 1))),
                sample(
                        List.of("package a; record Lane(" + parameters(9) + ") {}"),
                        new NameViolation(NameRule.SHORT_CONSTRUCTORS, "Lane")),
                sample(
                        List.of("package a; class Lane { Lane(" + parameters(9) + ") {} }"),
                        new NameViolation(NameRule.SHORT_CONSTRUCTORS, "Lane")),
                sample(
                        List.of(
                                "package a; record Lane("
                                        + parameters(8)
                                        + ") {"
                                        + " static int next; }")));
    }

    private static Arguments sample(List<String> sources, NameViolation... expected) {
        return Arguments.of(sources, List.of(expected));
    }

    private static String parameters(int count) {
        return IntStream.range(0, count).mapToObj(i -> "int a" + i).collect(joining(", "));
    }

    private static String method(String packageName, int lines) {
        return "package "
                + packageName
                + ";\nclass Sample {\n    void open() {\n"
                + "        close();\n".repeat(lines - 2)
                + "    }\n}\n";
    }
}
