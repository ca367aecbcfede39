/** Reviews many crosswalks or relationships, each with the rules and the outcome of a single review. */
import { Refusal, type ReviewRows, type RowOutcome } from '@rdm/contracts';
import { bulkAnswer } from '../bulk/row-chunks.ts';
import { needsJob, startJob } from '../bulk/start.ts';
import type { CommandAnswer } from '../runtime/command-answer.ts';
import type { Execution } from '../runtime/execution.ts';
import { type RowVerb, refusedRow, VERB_WORDS } from './row-review.ts';
import { selectedRows } from './selections.ts';

interface Definition {
  id: number;
  revision: number;
}

interface Definitions<Verb> {
  kind: 'crosswalks' | 'relationships';
  stream: (id: number) => string;
  /** Returns the data sets of a definition, its source first; throws if it is deleted or hidden. */
  governanceOf: (x: Execution, id: number) => Promise<{ governedBy: readonly number[] }>;
  review: (x: Execution, verb: Verb, row: Definition, comment: string | undefined) => Promise<RowOutcome[]>;
}

export async function reviewDefinitions<Verb extends RowVerb>(
  x: Execution,
  verb: Verb,
  body: ReviewRows,
  of: Definitions<Verb>,
): Promise<CommandAnswer> {
  const requestedRows = 'rows' in body ? body.rows : await selectedRows(x, body.selectionId, of.kind);
  // Count a definition once, even if it is listed twice.
  const rows = [...new Map(requestedRows.map((row) => [row.id, row])).values()];
  if ('selectionId' in body && needsJob(x, rows)) {
    const governance = await governingDataSetsOf(x, rows, of);
    if (governance) {
      const tried = VERB_WORDS[verb];
      const description = `${tried} ${rows.length.toLocaleString('en')} ${of.kind}`;
      const selection = { selectionId: body.selectionId };
      return startJob(x, { of: selection, tried, total: rows.length, description, ...governance });
    }
  }
  const results: RowOutcome[] = [];
  for (const row of rows) {
    const decide = () => x.withPace(1, () => of.review(x, verb, row, body.comment).catch(toRowRefusal(row.id)));
    results.push(...(await x.piece(of.stream(row.id), decide)));
  }
  return bulkAnswer(x, results);
}

/** Turns the refusal of one definition into its row outcome, so that the others are still decided. */
const toRowRefusal =
  (id: number) =>
  (error: unknown): RowOutcome[] => {
    if (!(error instanceof Refusal)) throw error;
    const { code, message } = error;
    return code === 'NOT_FOUND' ? [refusedRow(id, code)] : [{ id, outcome: 'refused', code, message }];
  };

/** Collects the data sets of all definitions that the user can see; undefined if there are none. */
async function governingDataSetsOf<Verb>(x: Execution, rows: readonly Definition[], of: Definitions<Verb>) {
  const sources = new Set<number>();
  const all = new Set<number>();
  for (const { id } of rows) {
    const { governedBy } = await of.governanceOf(x, id).catch(noDataSets);
    for (const dataSetId of governedBy.slice(0, 1)) sources.add(dataSetId);
    for (const dataSetId of governedBy) all.add(dataSetId);
  }
  return sources.size === 0 ? undefined : { dataSetIds: [...sources], governedBy: [...all] };
}

function noDataSets(error: unknown): { governedBy: readonly number[] } {
  if (error instanceof Refusal) return { governedBy: [] };
  throw error;
}
