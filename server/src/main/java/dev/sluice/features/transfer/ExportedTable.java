package dev.sluice.features.transfer;

import dev.sluice.platform.datafile.DataFileHeader.TableLayout;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// A table that is exported to a data file.
///
/// @param expressions SQL expressions to export instead of column values, keyed by column name
/// @param sealed maps each column that contains sealed (encrypted) values to the prefix of their
///   sealing context; see [TableLayout]
/// @param isSeeded whether migrations write rows into the table
record ExportedTable(
        String name,
        Map<String, String> expressions,
        Map<String, String> sealed,
        boolean isSeeded) {

    static ExportedTable of(String name) {
        return new ExportedTable(name, Map.of(), Map.of(), false);
    }

    ExportedTable with(Map<String, String> replaced) {
        return new ExportedTable(name, replaced, sealed, isSeeded);
    }

    ExportedTable sealing(Map<String, String> contexts) {
        return new ExportedTable(name, expressions, contexts, isSeeded);
    }

    ExportedTable seeded() {
        return new ExportedTable(name, expressions, sealed, true);
    }

    /// @param columns the table's columns. An older schema may lack some with sealed values
    TableLayout layout(List<String> columns) {
        var present = new HashMap<>(sealed);
        present.keySet().retainAll(columns);
        return new TableLayout(name, columns, present, isSeeded);
    }
}
