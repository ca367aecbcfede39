/** Tests that the test cases of filters detect seeded mistakes in the filter compiler. */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type FilterGroup, Refusal } from '@rdm/contracts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type SpecDatabase, startDatabase } from '../../fixtures/database.ts';
import {
  compiledFields,
  everyFilter,
  expectedIds,
  fillCells,
  foundIds,
  oneCondition,
  specRows,
} from './cases.fixture.ts';
import * as original from './compile.ts';
import { MUTANTS, type Mutant } from './mutants.fixture.ts';

type Compiler = Pick<typeof original, 'compileFilter'>;

const here = fileURLToPath(new URL('.', import.meta.url));
/** Inside the repository, so that imports of packages resolve. Git ignores this folder. */
const folder = fileURLToPath(new URL('../../../../test-results/mutants/', import.meta.url));

const FILES = ['compile.ts', 'indexed-text.ts', 'common-words.ts', 'like.ts'] as const;
const sources = new Map(FILES.map((file) => [file, readFileSync(join(here, file), 'utf8')]));

let database: SpecDatabase;
let cases: { filter: FilterGroup; expected: number[] }[];

/** Every sixth mutant, or all mutants with FAULTS=long. */
const SAMPLED_MUTANTS = MUTANTS.map((mutant, number) => ({ ...mutant, number })).filter(
  ({ number }) => process.env['FAULTS'] === 'long' || number % 6 === 0,
);

/** Filters in addition to `everyFilter`: several conditions, nested and empty groups, texts for other data types. */
const OTHER_FILTERS: FilterGroup[] = [
  { logic: 'AND', conditions: [] },
  { logic: 'OR', conditions: [] },
  { logic: 'OR', conditions: [oneCondition('number', 'equals', 7), oneCondition('string', 'equals', 'de')] },
  { logic: 'AND', conditions: [oneCondition('number', 'greater_than', 0), oneCondition('string', 'contains', 'a')] },
  { logic: 'AND', conditions: [{ logic: 'OR', conditions: [] }, oneCondition('boolean', 'equals', true)] },
  oneCondition('number', 'equals', '7'),
  oneCondition('boolean', 'equals', 'true'),
];

const nestedFilter = (depth: number): FilterGroup =>
  depth === 0 ? oneCondition('string', 'equals', 'a') : { logic: 'AND', conditions: [nestedFilter(depth - 1)] };
const wideFilter = (conditions: number): FilterGroup => ({
  logic: 'AND',
  conditions: Array.from({ length: conditions }, () => oneCondition('string', 'equals', 'a').conditions[0] as never),
});
const REFUSED: FilterGroup[] = [
  nestedFilter(11),
  wideFilter(501),
  oneCondition('nope', 'equals', 'a'),
  oneCondition(' string ', 'equals', 'a'),
  oneCondition('number', 'equals', 'abc'),
  oneCondition('number', 'equals', ''),
  oneCondition('number', 'equals', Number.POSITIVE_INFINITY),
  oneCondition('number', 'equals', '1; DROP TABLE cells'),
  oneCondition('boolean', 'equals', 'maybe'),
  oneCondition('datetime', 'equals', '2024-02-30T12:00:00Z'),
  oneCondition('datetime', 'equals', '0000-01-01T12:00:00Z'),
  oneCondition('boolean', 'greater_than', false),
  oneCondition('date', 'equals', '2024-02-30'),
  oneCondition('string', 'between', ['a']),
  oneCondition('string', 'between', ['a', 'b', 'c']),
  oneCondition(
    'string',
    'in',
    Array.from({ length: 10_001 }, () => 'a'),
  ),
];

beforeAll(async () => {
  database = await startDatabase();
  const rows = specRows();
  await fillCells(database.pool, rows);
  cases = [...OTHER_FILTERS, ...everyFilter()].map((filter) => ({ filter, expected: expectedIds(filter, rows) }));
  rmSync(folder, { recursive: true, force: true });
}, 60_000);
afterAll(async () => {
  await database.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** Returns the first mistake of a compiler; undefined if it has none. */
async function mistakeOf({ compileFilter }: Compiler): Promise<string | undefined> {
  for (const filter of REFUSED) {
    try {
      compileFilter(filter, compiledFields);
      return `compiles ${JSON.stringify(filter).slice(0, 200)}`;
    } catch (error) {
      if (!(error instanceof Refusal)) return `throws ${error}`;
    }
  }
  const sqlLookalike = { texts: ['mark'], values: [], hasRegex: false };
  for (const filter of [
    oneCondition('string', 'equals', 'mark'),
    oneCondition('number', 'equals', '12345e1'),
    oneCondition('json', 'equals', sqlLookalike),
  ]) {
    const { texts, values } = compileFilter(filter, compiledFields);
    if (/mark|12345/.test(texts.join(''))) return 'lets a needle into the statement';
    if (values.length === 0) return 'has no parameter for a needle';
  }
  if (!compileFilter(oneCondition('string', 'regex', 'a'), compiledFields).hasRegex)
    return 'does not report a regular expression';
  const client = await database.pool.connect();
  try {
    // A time zone with an offset of 5 h 45 min and another date style must not change the results.
    await client.query(`SET timezone = 'Asia/Kathmandu'; SET datestyle = 'German'`);
    for (let from = 0; from < cases.length; from += 100) {
      const part = cases.slice(from, from + 100);
      const found = await foundIds(
        client,
        part.map(({ filter }) => compileFilter(filter, compiledFields)),
      );
      const wrong = part.findIndex(({ expected }, index) => String(found[index]) !== String(expected));
      if (wrong >= 0) return `finds ${found[wrong]} by ${JSON.stringify(part[wrong]?.filter).slice(0, 200)}`;
    }
    return undefined;
  } catch (error) {
    return `fails: ${error}`;
  } finally {
    client.release(true);
  }
}

/** Imports the compiler with one seeded mistake. */
async function mutated({ file, from, to }: Mutant, number: number): Promise<Compiler> {
  const ownFolder = join(folder, String(number));
  mkdirSync(ownFolder, { recursive: true });
  for (const [name, source] of sources) {
    const text = name === file ? source.replace(from, () => to) : source;
    const withAbsoluteImport = text
      .replaceAll("'../../read-models/sql.ts'", JSON.stringify(join(here, '..', '..', 'read-models', 'sql.ts')))
      .replace('type Sql, sql }', 'Sql, sql }');
    writeFileSync(join(ownFolder, name), withAbsoluteImport);
  }
  return (await import(/* @vite-ignore */ join(ownFolder, 'compile.ts'))) as Compiler;
}

describe('the filter compiler', () => {
  it('has no mistake', async () => {
    expect(await mistakeOf(original)).toBeUndefined();
  });

  it.each(SAMPLED_MUTANTS)('fails the test cases with $to instead of $from in $file', async ({ number, ...mutant }) => {
    expect(sources.get(mutant.file)).toContain(mutant.from);
    expect(await mistakeOf(await mutated(mutant, number))).toBeDefined();
  });
});
