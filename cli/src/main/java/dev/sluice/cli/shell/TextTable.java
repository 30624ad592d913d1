package dev.sluice.cli.shell;

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/// A text table whose columns are as wide as their content.
public final class TextTable {

    private static final String GAP = "  ";

    private final List<List<String>> rows = new ArrayList<>();
    private final int columns;

    public TextTable(List<String> titles) {
        columns = titles.size();
        rows.add(titles.stream().map(title -> title.toUpperCase(Locale.ROOT)).toList());
    }

    /// @param cells one cell for each column
    public void add(List<String> cells) {
        if (cells.size() != columns) {
            throw new IllegalArgumentException(cells.size() + " cells for " + columns + " columns");
        }
        rows.add(cells.stream().map(SafeText::line).toList());
    }

    public void print(PrintStream out) {
        int[] widths = new int[columns];
        for (var row : rows) {
            for (int i = 0; i < columns; i++) {
                widths[i] = Math.max(widths[i], width(row.get(i)));
            }
        }
        for (var row : rows) {
            var line = new StringBuilder();
            for (int i = 0; i < columns; i++) {
                line.append(row.get(i));
                line.repeat(' ', widths[i] - width(row.get(i))).append(GAP);
            }
            out.println(line.toString().stripTrailing());
        }
    }

    private static int width(String text) {
        return text.codePointCount(0, text.length());
    }
}
