/** How many rows are drawn with one frame: all of them, unless frames take so long that who scrolls would wait for them. */

/** Two frames of most screens, and what clocks are off by. */
const SLOW_MS = 40;
const QUICK_MS = 20;
/** Whoever comes back to a page has seen no frame meanwhile. */
const AWAY_MS = 1_000;
/** What a slow machine draws with one frame; a wheel turned slowly brings fewer. */
const FEW = 6;
/** Who scrolls on comes before rows that are not drawn yet: they wait until nobody did for so long. */
const PAUSE_MS = 150;

export class Pace {
  #rows = Number.POSITIVE_INFINITY;

  /** So many are drawn with the next frame. */
  get rows(): number {
    return this.#rows;
  }

  /** A frame took so long. */
  took(milliseconds: number): void {
    if (milliseconds > AWAY_MS) return;
    if (milliseconds > SLOW_MS) this.#rows = FEW;
    else if (milliseconds < QUICK_MS) this.#rows *= 2;
  }

  /** Watches the frame to come and calls after it, `paused` once nothing happened for a while; answers what forgets about both. */
  afterwards(paused: boolean, then: () => void): () => void {
    let pause: ReturnType<typeof setTimeout> | undefined;
    let next = requestAnimationFrame((begin) => {
      next = requestAnimationFrame((end) => {
        this.took(end - begin);
        pause = setTimeout(then, paused ? PAUSE_MS : 0);
      });
    });
    return () => {
      cancelAnimationFrame(next);
      clearTimeout(pause);
    };
  }
}

interface Span {
  first: number;
  last: number;
}

/**
 * Rows that are drawn next of those in a span: what is there stays, and up to `rows` are added, those nearest to the first of
 * `places` that lies in it before others.
 */
export function drawnOf(
  there: readonly number[],
  { first, last }: Span,
  places: readonly number[],
  rows: number,
): readonly number[] {
  const kept = new Set(there.filter((index) => index >= first && index <= last));
  const missing: number[] = [];
  for (let index = first; index <= last; index++) if (!kept.has(index)) missing.push(index);
  if (missing.length > rows) {
    const near = places.find((place) => place >= first && place <= last) ?? first;
    missing.sort((left, right) => Math.abs(left - near) - Math.abs(right - near));
  }
  return [...kept, ...missing.slice(0, rows)].sort((left, right) => left - right);
}

/** How many rows of the span are not drawn before each that is, and, under the place behind the span, after the last. */
export function gapsIn(drawn: readonly number[], { first, last }: Span): ReadonlyMap<number, number> {
  const gaps = new Map<number, number>();
  let next = first;
  for (const index of [...drawn, last + 1]) {
    if (index > next) gaps.set(index, index - next);
    next = Math.max(next, index + 1);
  }
  return gaps;
}
