package dev.sluice.cli.declare;

import dev.sluice.cli.declare.ExistingGateway.ExistingThing;

import tools.jackson.databind.node.ObjectNode;

import java.util.List;

/// One step from what the server has to what a file asks for.
sealed interface PlannedChange {

    /// For people: what happens to what.
    String summary();

    /// For programs: `create`, `update` or `delete`.
    String action();

    DeclaredKind kind();

    String name();

    record Creation(DeclaredThing thing) implements PlannedChange {

        @Override
        public String summary() {
            return "+ " + thing;
        }

        @Override
        public String action() {
            return "create";
        }

        @Override
        public DeclaredKind kind() {
            return thing.kind();
        }

        @Override
        public String name() {
            return thing.name();
        }
    }

    /// @param fields those that differ, with their secrets
    record FieldUpdate(DeclaredThing thing, ExistingThing existing, ObjectNode fields)
            implements PlannedChange {

        @Override
        public String summary() {
            return "~ " + thing;
        }

        @Override
        public String action() {
            return "update";
        }

        @Override
        public DeclaredKind kind() {
            return thing.kind();
        }

        @Override
        public String name() {
            return thing.name();
        }

        /// Each field with what it was and what it becomes, as the file says it: without secrets.
        List<String> differences() {
            return fields.propertyNames().stream()
                    .map(field ->
                            "%s: %s -> %s"
                                    .formatted(
                                            field,
                                            existing.json().path(field),
                                            thing.shown().path(field)))
                    .toList();
        }
    }

    record Removal(ExistingThing existing) implements PlannedChange {

        @Override
        public String summary() {
            return "- " + existing.kind().word() + " " + existing.name();
        }

        @Override
        public String action() {
            return "delete";
        }

        @Override
        public DeclaredKind kind() {
            return existing.kind();
        }

        @Override
        public String name() {
            return existing.name();
        }
    }
}
