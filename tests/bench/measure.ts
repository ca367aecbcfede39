/** Measures the product and a reference alternately, as A B B A, several times; computes medians and spread. */
import { readFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';

export interface Load {
  readonly perSecond: number;
  /** Median in milliseconds. */
  readonly p50: number;
  /** Only `load` measures this value. */
  readonly p95?: number;
  readonly p99: number;
}

export interface Compared {
  readonly name: string;
  readonly product: readonly Load[];
  readonly reference: readonly Load[];
  /** The throughput of the product divided by that of the reference, for each A B B A. */
  readonly ratios: readonly number[];
  /** The ratio that the product must reach, if there is a limit. */
  readonly limit?: number;
}

export interface BenchResult {
  readonly bench: string;
  readonly reference: string;
  readonly machine: string;
  readonly rows: readonly Compared[];
}

export interface LoadOptions {
  /** The number of requests in flight at any time. */
  readonly inFlight: number;
  readonly seconds: number;
  /** Sends one request. `lane` is a number from 0 to `inFlight` - 1; each lane has one request at a time. */
  readonly request: (lane: number) => Promise<unknown>;
}

/** Sends requests for `seconds`, with `inFlight` requests at any time. */
export async function load({ inFlight, seconds, request }: LoadOptions): Promise<Load> {
  const latencies: number[] = [];
  const begin = performance.now();
  const end = begin + seconds * 1000;
  await Promise.all(
    Array.from({ length: inFlight }, async (_, lane) => {
      for (let at = performance.now(); at < end; ) {
        await request(lane);
        const now = performance.now();
        latencies.push(now - at);
        at = now;
      }
    }),
  );
  const elapsed = performance.now() - begin;
  latencies.sort((a, b) => a - b);
  return {
    perSecond: latencies.length / (elapsed / 1000),
    p50: quantile(latencies, 0.5),
    p95: quantile(latencies, 0.95),
    p99: quantile(latencies, 0.99),
  };
}

/** Runs product (A) and reference (B) as A B B A, `rounds` times. */
export async function compare(
  name: string,
  rounds: number,
  product: () => Promise<Load>,
  reference: () => Promise<Load>,
  limit?: number,
): Promise<Compared> {
  const runs = { product: [] as Load[], reference: [] as Load[], ratios: [] as number[] };
  for (let round = 0; round < rounds; round += 1) {
    const [a, b, b2, a2] = [await product(), await reference(), await reference(), await product()];
    runs.product.push(a, a2);
    runs.reference.push(b, b2);
    runs.ratios.push((a.perSecond + a2.perSecond) / (b.perSecond + b2.perSecond));
  }
  return { name, ...runs, ...(limit !== undefined && { limit }) };
}

/** Returns the peak memory of a process in MiB as reported by the kernel; NaN if the kernel reports none. */
export function peakResidentMib(pid: number | undefined): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    return Math.round(Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1]) / 1024);
  } catch {
    return Number.NaN;
  }
}

export function describeMachine(): string {
  const [cpu] = cpus();
  return `${cpus().length} × ${cpu?.model.trim() ?? 'unknown'}, ${Math.round(totalmem() / 2 ** 30)} GiB, ${process.platform}, Node ${process.versions.node}`;
}

/** Returns the results as a Markdown table. */
export function toMarkdown({ bench, reference, machine: where, rows }: BenchResult): string {
  const head = [
    `### ${bench}`,
    '',
    `Reference: ${reference}. Machine: ${where}.`,
    '',
    '| case | product /s | p50 ms | p99 ms | reference /s | p50 ms | ratio (median, spread) | limit |',
    '|---|---|---|---|---|---|---|---|',
  ];
  const lines = rows.map(({ name, product, reference: other, ratios, limit }) => {
    const medianOf = (loads: readonly Load[], figure: 'perSecond' | 'p50' | 'p99') =>
      median(loads.map((each) => each[figure]));
    const spread = `${Math.min(...ratios).toFixed(2)}–${Math.max(...ratios).toFixed(2)}`;
    return [
      `| ${name}`,
      Math.round(medianOf(product, 'perSecond')),
      medianOf(product, 'p50').toFixed(2),
      medianOf(product, 'p99').toFixed(2),
      Math.round(medianOf(other, 'perSecond')),
      medianOf(other, 'p50').toFixed(2),
      `${median(ratios).toFixed(2)}× (${spread})`,
      `${limit === undefined ? '–' : `${limit.toFixed(1)}×`} |`,
    ].join(' | ');
  });
  return [...head, ...lines].join('\n');
}

export function median(values: readonly number[]): number {
  return quantile(
    [...values].sort((a, b) => a - b),
    0.5,
  );
}

export function quantile(sorted: readonly number[], fraction: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * fraction))] ?? Number.NaN;
}
