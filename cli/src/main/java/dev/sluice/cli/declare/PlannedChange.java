package dev.sluice.cli.declare;

import dev.sluice.cli.declare.ExistingGateway.ExistingThing;

import tools.jackson.databind.node.ObjectNode;

import java.util.List;

/// One change that `sluice apply` makes on the server, or would make in a dry run.
sealed interface PlannedChange {

    /// Returns a one-line, human-readable description of the change.
    String summary();

    /// Returns the machine-readable name of the action: `create`, `update` or `delete`.
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

    /// @param fields the fields that differ, with their secrets filled in
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

        /// Returns a line for each changed field, with its old and new values. Old secrets are
        /// masked, and new ones are shown as references.
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
