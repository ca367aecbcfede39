/** Measures the approvals dashboard with few and with many pending items, compared with the list of data sets. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { startStack } from '@rdm/embedded/stack';
import { createCrosswalkUnderReview } from './approve.ts';
import { signIn } from './data-sets.ts';
import { createThrowingCaller } from './large-data-set.ts';
import { type BenchResult, type Compared, compare, describeMachine, load, toMarkdown } from './measure.ts';

const PASSWORD = 'Bench-approvals-1';
/** The minimum throughput, as a share of the throughput of the reference. */
const LIMIT = 0.5;

const REFERENCE = '/api/reference-data?pageSize=50';
const READS: Record<string, string> = {
  'first page': '/api/approvals?pageSize=50',
  'page 100': '/api/approvals?pageSize=50&page=100',
  statistics: '/api/approvals/statistics',
  'by crosswalk': '/api/approvals?group=parent',
  search: '/api/approvals?pageSize=50&q=source%2017',
};

async function measureApprovals(
  options: { sizes?: number[]; rounds?: number; seconds?: number } = {},
): Promise<BenchResult> {
  const { sizes = [10, 100_000], rounds = 3, seconds = 2 } = options;
  const rows: Compared[] = [];
  for (const pendingItems of sizes) {
    const directory = mkdtempSync(join(tmpdir(), 'rdm-bench-approvals-'));
    const stack = await startStack({ dataDir: join(directory, 'data'), adminPassword: PASSWORD });
    try {
      const author = await signIn(stack.baseUrl, PASSWORD);
      const decider = { username: 'decider', email: 'decider@example.com', password: PASSWORD, roleId: 1 };
      await author.write('/api/users', { ...decider, requirePasswordChange: false });
      await createCrosswalkUnderReview(author, pendingItems);
      const { cookie } = await signIn(stack.baseUrl, PASSWORD, 'decider');
      const call = createThrowingCaller(stack.baseUrl, { Cookie: cookie }, 1);
      const run = (path: string) => () => load({ inFlight: 1, seconds, request: () => call(path) });
      for (const [name, path] of Object.entries(READS)) {
        const title = `${name}, ${pendingItems.toLocaleString('en')} waiting`;
        rows.push(await compare(title, rounds, run(path), run(REFERENCE), LIMIT));
      }
    } finally {
      await stack.stop();
      rmSync(directory, { recursive: true, force: true });
    }
  }
  return {
    bench: 'approvals',
    reference: 'the list of data sets of the same product; one connection',
    machine: describeMachine(),
    rows,
  };
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const once = process.argv.includes('--once') ? { rounds: 1 } : {};
  const result = await measureApprovals(once);
  console.log(toMarkdown(result));
  console.log(JSON.stringify(result));
}
