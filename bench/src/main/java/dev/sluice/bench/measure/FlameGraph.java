package dev.sluice.bench.measure;

import java.util.List;
import java.util.Locale;
import java.util.TreeMap;

/// Stacks laid over each other: each frame as wide as the share of samples that it was in, its
/// callers below it. Used by one thread.
final class FlameGraph {

    private static final int WIDTH = 1600;
    private static final int HEIGHT = 17;
    private static final int MARGIN = 24;

    /// Narrower frames cannot be seen.
    private static final double NARROWEST = 0.4;

    private static final double LETTER = 6.6;

    private static final class Frame {
        private long samples;

        /// By name, so that the same frames lie in the same order in each graph.
        private final TreeMap<String, Frame> children = new TreeMap<>();

        int depth() {
            return 1 + children.values().stream().mapToInt(Frame::depth).max().orElse(0);
        }
    }

    private final Frame all = new Frame();

    /// @param stack outermost first
    void add(List<String> stack) {
        all.samples++;
        var at = all;
        for (String name : stack) {
            at = at.children.computeIfAbsent(name, _ -> new Frame());
            at.samples++;
        }
    }

    String svg() {
        int height = all.depth() * HEIGHT + 2 * MARGIN;
        var svg = new StringBuilder();
        svg.append(
                """
                <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" \
                font-family="monospace" font-size="11">
                <rect width="100%%" height="100%%" fill="white"/>
                """
                        .formatted(WIDTH, height, WIDTH, height));
        draw(svg, "all", all, 0, WIDTH, height - MARGIN - HEIGHT);
        return svg.append("</svg>\n").toString();
    }

    private void draw(StringBuilder svg, String name, Frame frame, double x, double width, int y) {
        double share = 100.0 * frame.samples / all.samples;
        svg.append(
                String.format(
                        Locale.ROOT,
                        "<g><title>%s, %d samples, %.2f %%</title><rect x=\"%.1f\" y=\"%d\""
                                + " width=\"%.1f\" height=\"%d\" fill=\"%s\" stroke=\"white\""
                                + " stroke-width=\"0.5\"/>%s</g>%n",
                        escaped(name),
                        frame.samples,
                        share,
                        x,
                        y,
                        width,
                        HEIGHT - 1,
                        colour(name),
                        label(name, x, width, y)));
        double left = x;
        for (var child : frame.children.entrySet()) {
            double part = width * child.getValue().samples / frame.samples;
            if (part >= NARROWEST) {
                draw(svg, child.getKey(), child.getValue(), left, part, y - HEIGHT);
            }
            left += part;
        }
    }

    private static String label(String name, double x, double width, int y) {
        int letters = (int) (width / LETTER) - 1;
        if (letters < 3) {
            return "";
        }
        String shown = name.substring(Math.max(0, name.length() - letters));
        return String.format(
                Locale.ROOT,
                "<text x=\"%.1f\" y=\"%d\">%s</text>",
                x + 3,
                y + HEIGHT - 5,
                escaped(shown));
    }

    /// Ours stand out.
    private static String colour(String name) {
        if (name.startsWith("dev.sluice")) {
            return "#f4a259";
        }
        return name.startsWith("java") || name.startsWith("jdk") || name.startsWith("sun")
                ? "#d8dee9"
                : "#a3c4bc";
    }

    private static String escaped(String text) {
        return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
    }
}
