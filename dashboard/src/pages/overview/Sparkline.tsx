/** A line without axes, for the shape only. A gap is a bucket that has no value. */
const WIDTH = 100;
const HEIGHT = 24;

export function pathOf(values: (number | null)[]): string {
  const known = values.filter((one) => one !== null);
  const max = Math.max(...known);
  const min = Math.min(0, ...known);
  const step = values.length > 1 ? WIDTH / (values.length - 1) : 0;
  let isDrawing = false;
  return values
    .map((value, i) => {
      if (value === null) {
        isDrawing = false;
        return '';
      }
      const y = max === min ? HEIGHT - 1 : HEIGHT - 1 - ((value - min) / (max - min)) * (HEIGHT - 2);
      const command = `${isDrawing ? 'L' : 'M'}${(i * step).toFixed(1)} ${y.toFixed(1)}`;
      isDrawing = true;
      return command;
    })
    .join('');
}

export function Sparkline({ values }: { values: (number | null)[] }) {
  const line = pathOf(values);
  return (
    <svg className="spark" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
      {values.length > 1 && !values.includes(null) && <path d={`${line}V${HEIGHT}H0Z`} fill="currentColor" opacity=".14" />}
      <path d={line} fill="none" stroke="currentColor" strokeWidth="1.5" vectorEffect="non-scaling-stroke" strokeLinejoin="round" />
    </svg>
  );
}
