/** The axes of a chart over time. What they say is also in the chart's label or its table. */

/** @param steps the values to name, the smallest first; the last one is the top of the chart */
export function ValueAxis({ steps, text }: { steps: number[]; text: (value: number) => string }) {
  const top = steps.at(-1) ?? 1;
  return (
    <div className="hist-y faint small num" aria-hidden="true">
      {steps.map((step) => (
        <span key={step} style={{ bottom: `${(step / top) * 100}%` }}>
          {text(step)}
        </span>
      ))}
    </div>
  );
}

/**
 * @param starts of the buckets, the oldest first; the last bucket is not over yet
 * @param labels about how many have their time below them
 */
export function TimeAxis({ starts, labels, text }: { starts: string[]; labels: number; text: (start: string) => string }) {
  const every = Math.ceil(starts.length / labels);
  return (
    <div className="hist-x faint small num" aria-hidden="true">
      {starts.map((start, i) => (
        <span key={start}>{i === starts.length - 1 ? 'so far' : i % every === 0 && i < starts.length - every ? text(start) : ''}</span>
      ))}
    </div>
  );
}
