package dev.sluice.bench.report;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.OptionalDouble;

/// A table of numbers under named columns.
public final class ReportTable {

    private final String title;
    private final List<String> columns;
    private final List<List<Object>> rows = new ArrayList<>();

    public ReportTable(String title, String... columns) {
        this.title = title;
        this.columns = List.of(columns);
    }

    /// @param columns the names of the columns, separated by ` | `
    public static ReportTable of(String title, String columns) {
        return new ReportTable(title, columns.split(" \\| ", -1));
    }

    /// Adds a row. A cell is a number, text, or an `OptionalDouble` that is empty if the number
    /// could not be measured.
    public ReportTable row(Object... cells) {
        if (cells.length != columns.size()) {
            throw new IllegalArgumentException(title + ": a row must have a cell for each column");
        }
        rows.add(List.of(cells));
        return this;
    }

    /// Adds a final row with the median of each column except the first.
    public ReportTable medians() {
        var medians = new ArrayList<Object>();
        medians.add("median");
        for (int column = 1; column < columns.size(); column++) {
            medians.add(median(column));
        }
        rows.add(medians);
        return this;
    }

    /// Returns the number in the last row of this column, or empty if there is none.
    public OptionalDouble last(String column) {
        return number(rows.getLast().get(columns.indexOf(column)));
    }

    public String title() {
        return title;
    }

    String markdown() {
        var lines = new StringBuilder();
        lines.append("| ").append(String.join(" | ", columns)).append(" |\n");
        lines.append("| --- |").append(" ---: |".repeat(columns.size() - 1)).append('\n');
        for (List<Object> row : rows) {
            var cells = row.stream().map(ReportTable::text).toList();
            lines.append("| ").append(String.join(" | ", cells)).append(" |\n");
        }
        return lines.toString();
    }

    String toText() {
        var lines = new StringBuilder();
        append(lines, columns);
        for (List<Object> row : rows) {
            append(lines, row.stream().map(ReportTable::text).toList());
        }
        return lines.toString();
    }

    private void append(StringBuilder lines, List<String> cells) {
        for (int column = 0; column < cells.size(); column++) {
            int width = width(column);
            lines.append(
                    (column == 0 ? "%-" + width + "s" : "  %" + width + "s")
                            .formatted(cells.get(column)));
        }
        lines.append('\n');
    }

    private int width(int column) {
        int width = columns.get(column).length();
        for (List<Object> row : rows) {
            width = Math.max(width, text(row.get(column)).length());
        }
        return width;
    }

    private OptionalDouble median(int column) {
        double[] numbers =
                rows.stream()
                        .map(row -> number(row.get(column)))
                        .flatMapToDouble(OptionalDouble::stream)
                        .sorted()
                        .toArray();
        if (numbers.length == 0) {
            return OptionalDouble.empty();
        }
        int middle = numbers.length / 2;
        return OptionalDouble.of(
                numbers.length % 2 == 1
                        ? numbers[middle]
                        : (numbers[middle - 1] + numbers[middle]) / 2);
    }

    private static OptionalDouble number(Object cell) {
        return switch (cell) {
            case Number number -> OptionalDouble.of(number.doubleValue());
            case OptionalDouble number -> number;
            default -> OptionalDouble.empty();
        };
    }

    private static String text(Object cell) {
        OptionalDouble number = number(cell);
        if (number.isEmpty()) {
            return cell instanceof OptionalDouble ? "–" : cell.toString();
        }
        double value = number.getAsDouble();
        boolean whole = value == Math.rint(value) || Math.abs(value) >= 1000;
        int decimals = whole ? 0 : Math.abs(value) >= 10 ? 1 : 2;
        return String.format(Locale.ROOT, "%." + decimals + "f", value);
    }
}
