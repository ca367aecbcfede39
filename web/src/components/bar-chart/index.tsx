/** A small bar chart: one bar per value, and a sentence for screen readers. */

export interface BarChartProps {
  values: readonly number[];
  /** Describes the values in one sentence. */
  label: string;
  className?: string;
}

/** In SVG units: the drawing is stretched to the width and height of its container. */
const BAR = 3;
const STEP = 4;
const HEIGHT = 40;

export function BarChart({ values, label, className = 'h-16' }: BarChartProps) {
  const most = Math.max(1, ...values);
  const width = values.length * STEP;
  return (
    <svg
      viewBox={`0 0 ${width} ${HEIGHT}`}
      preserveAspectRatio="none"
      className={`w-full ${className}`}
      role="img"
      aria-label={label}
    >
      <line x1="0" x2={width} y1={HEIGHT - 0.5} y2={HEIGHT - 0.5} stroke="var(--hairline)" />
      {values.map((value, index) => {
        const height = (value / most) * (HEIGHT - 2);
        // A bar is identified by its position only.
        return (
          <rect key={index} x={index * STEP} width={BAR} y={HEIGHT - 1 - height} height={height} fill="var(--accent)" />
        );
      })}
    </svg>
  );
}
