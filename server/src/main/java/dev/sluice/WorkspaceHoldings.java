package dev.sluice;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;

/// What each workspace holds of each resource, as one server's metrics say. Immutable.
///
/// @param byResource what the workspaces hold, by the resource and the workspace's id; `others`
///   stands for all workspaces that are not named
record WorkspaceHoldings(Map<String, Map<String, Double>> byResource) {

    static final String OTHERS = "others";

    private static final Pattern LINE =
            Pattern.compile(
                    "^sluice_workspace_([a-z_]+)\\{workspace=\"([^\"]+)\"} (\\S+)$",
                    Pattern.MULTILINE);

    private static final double UNIT_FACTOR = 1024;

    /// Reads metrics in the text format of Prometheus.
    static WorkspaceHoldings parse(String metrics) {
        Map<String, Map<String, Double>> found = new TreeMap<>();
        LINE.matcher(metrics)
                .results()
                .forEach(line ->
                        found.computeIfAbsent(line.group(1), _ -> new TreeMap<>())
                                .put(line.group(2), Double.parseDouble(line.group(3))));
        return new WorkspaceHoldings(found);
    }

    /// Returns the ids of the workspaces, the one with the largest part of a resource first, and
    /// last [#OTHERS].
    List<String> workspaces() {
        var all = new ArrayList<String>();
        byResource.values().forEach(each -> all.addAll(each.keySet()));
        return all.stream()
                .distinct()
                .sorted(
                        Comparator.comparing((String id) -> id.equals(OTHERS))
                                .thenComparingDouble(id -> -largestPart(id))
                                .thenComparing(id -> id))
                .toList();
    }

    /// Returns the largest part that the workspace holds of any resource, from 0 to 1.
    private double largestPart(String workspace) {
        double largest = 0;
        for (var held : byResource.values()) {
            double all = held.values().stream().mapToDouble(n -> n).sum();
            largest = Math.max(largest, all == 0 ? 0 : held.getOrDefault(workspace, 0.0) / all);
        }
        return largest;
    }

    /// Returns the lines of a table: a heading, and a line for each workspace.
    ///
    /// @param names the names of workspaces, by their ids
    List<String> table(Map<String, String> names) {
        var rows = new ArrayList<List<String>>();
        var heading = new ArrayList<>(List.of("WORKSPACE", "NAME"));
        byResource.keySet().forEach(each -> heading.add(each.toUpperCase(Locale.ROOT)));
        rows.add(heading);
        for (String workspace : workspaces()) {
            var row = new ArrayList<>(List.of(workspace, names.getOrDefault(workspace, "-")));
            byResource.forEach(
                    (resource, held) -> row.add(text(resource, held.getOrDefault(workspace, 0.0))));
            rows.add(row);
        }
        return aligned(rows);
    }

    private static String text(String resource, double value) {
        if (value == 0) {
            return "-";
        }
        if (!resource.endsWith("_bytes")) {
            return value == Math.rint(value)
                    ? Long.toString((long) value)
                    : String.format(Locale.ROOT, "%.3f", value);
        }
        double left = value;
        var units = List.of("B", "KiB", "MiB", "GiB", "TiB").iterator();
        String unit = units.next();
        while (left >= UNIT_FACTOR && units.hasNext()) {
            left /= UNIT_FACTOR;
            unit = units.next();
        }
        return String.format(Locale.ROOT, unit.equals("B") ? "%.0f %s" : "%.1f %s", left, unit);
    }

    /// Pads the columns: text on the left, numbers on the right.
    private static List<String> aligned(List<List<String>> rows) {
        var widths = new int[rows.getFirst().size()];
        for (var row : rows) {
            for (int i = 0; i < widths.length; i++) {
                widths[i] = Math.max(widths[i], row.get(i).length());
            }
        }
        return rows.stream().map(row -> line(row, widths)).toList();
    }

    private static String line(List<String> row, int[] widths) {
        var line = new StringBuilder();
        for (int i = 0; i < widths.length; i++) {
            String padding = " ".repeat(widths[i] - row.get(i).length());
            line.append(i < 2 ? row.get(i) + padding : padding + row.get(i)).append("  ");
        }
        return line.toString().stripTrailing();
    }
}
