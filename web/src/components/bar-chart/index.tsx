/** A small bar chart with one bar per value and a sentence for screen readers. */

export interface BarChartProps {
  values: readonly number[];
  /** Describes the values in one sentence. */
  label: string;
  className?: string;
}

/** In SVG units. The browser stretches the drawing to the width of its container and to the height in `className`. */
const BAR_WIDTH = 3;
const STEP = 4;
const HEIGHT = 40;

export function BarChart({ values, label, className = 'h-16' }: BarChartProps) {
  const highest = Math.max(1, ...values);
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
        const height = (value / highest) * (HEIGHT - 2);
        // The index is the key, because a bar has no other identity.
        return (
          <rect
            key={index}
            x={index * STEP}
            width={BAR_WIDTH}
            y={HEIGHT - 1 - height}
            height={height}
            fill="var(--accent)"
          />
        );
      })}
    </svg>
  );
}
