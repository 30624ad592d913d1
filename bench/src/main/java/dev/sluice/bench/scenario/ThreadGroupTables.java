package dev.sluice.bench.scenario;

import dev.sluice.bench.measure.CpuUsage;
import dev.sluice.bench.measure.ProcessRole;
import dev.sluice.bench.measure.ThreadGroupUsage;
import dev.sluice.bench.report.ReportTable;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/// Two tables, one of CPU time and one of context switches. Each has a row for each group of
/// threads and a column for each measurement.
///
/// The groups that used the most CPU time have their own rows. The other groups of each role share
/// one row, so the numbers in a column add up to the total for all roles.
final class ThreadGroupTables {

    private static final int MAX_GROUPS = 24;

    private final List<ProcessRole> roles;
    private final List<String> labels = new ArrayList<>();
    private final List<Map<GroupKey, Cell>> measurements = new ArrayList<>();

    private record GroupKey(ProcessRole role, String name) {

        String title() {
            return role.name().toLowerCase(Locale.ROOT) + ": " + name;
        }
    }

    private record Cell(double cpu, double switches) {

        static final Cell NONE = new Cell(0, 0);

        Cell plus(Cell other) {
            return new Cell(cpu + other.cpu, switches + other.switches);
        }
    }

    ThreadGroupTables(ProcessRole... roles) {
        this.roles = List.of(roles);
    }

    /// @param cpuFactor converts CPU seconds to the unit of the first table
    /// @param switchFactor converts the number of switches to the unit of the second table
    void add(String label, CpuUsage usage, double cpuFactor, double switchFactor) {
        var cells = new HashMap<GroupKey, Cell>();
        for (ThreadGroupUsage group : usage.groups()) {
            if (roles.contains(group.role())) {
                cells.put(
                        new GroupKey(group.role(), group.group()),
                        new Cell(group.seconds() * cpuFactor, group.switches() * switchFactor));
            }
        }
        labels.add(label);
        measurements.add(cells);
    }

    /// @param cpuTitle the title of the first table, with its unit
    /// @param switchTitle the title of the second table, with its unit
    List<ReportTable> tables(String cpuTitle, String switchTitle) {
        var rows = rows();
        return List.of(table(cpuTitle, rows, Cell::cpu), table(switchTitle, rows, Cell::switches));
    }

    /// Returns the cells of each row, keyed by the row's title.
    private Map<String, List<Cell>> rows() {
        var groups =
                measurements.stream()
                        .flatMap(cells -> cells.keySet().stream())
                        .distinct()
                        .sorted(
                                Comparator.comparingDouble(this::cpuOfAll)
                                        .reversed()
                                        .thenComparing(GroupKey::title))
                        .toList();
        var rows = new LinkedHashMap<String, List<Cell>>();
        for (int rank = 0; rank < groups.size(); rank++) {
            var group = groups.get(rank);
            boolean hasOwnRow = rank < MAX_GROUPS;
            String title = hasOwnRow ? group.title() : new GroupKey(group.role(), "others").title();
            rows.merge(title, cells(group), ThreadGroupTables::sum);
        }
        return rows;
    }

    private double cpuOfAll(GroupKey group) {
        return cells(group).stream().mapToDouble(Cell::cpu).sum();
    }

    private List<Cell> cells(GroupKey group) {
        return measurements.stream().map(cells -> cells.getOrDefault(group, Cell.NONE)).toList();
    }

    private static List<Cell> sum(List<Cell> some, List<Cell> more) {
        var sums = new ArrayList<Cell>();
        for (int column = 0; column < some.size(); column++) {
            sums.add(some.get(column).plus(more.get(column)));
        }
        return sums;
    }

    private ReportTable table(
            String title, Map<String, List<Cell>> rows, ToDoubleFunction<Cell> value) {
        var columns = new ArrayList<String>(List.of("threads"));
        columns.addAll(labels);
        var table = new ReportTable(title, columns.toArray(String[]::new));
        rows.forEach((name, cells) -> {
            var row = new ArrayList<Object>(List.of(name));
            cells.forEach(cell -> row.add(value.applyAsDouble(cell)));
            table.row(row.toArray());
        });
        return table;
    }
}
