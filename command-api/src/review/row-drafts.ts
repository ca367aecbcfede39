/** The answer to a command that drafts rows. */
import type { RowOutcome } from '@rdm/contracts';
import { bulkAnswer } from '../bulk/row-chunks.ts';
import type { CommandAnswer } from '../runtime/command-answer.ts';
import type { Execution } from '../runtime/execution.ts';
import { refusalOf } from './row-review.ts';

/**
 * Returns the answer with the outcomes in the order of the request. If the request has one row, throws the refusal of
 * the row, or adds the id and revision of the row. `textOf` returns the text that identifies a requested row.
 */
export function draftAnswer(
  x: Execution,
  requestedCount: number,
  outcomes: readonly RowOutcome[],
  textOf: (index: number) => string,
): CommandAnswer {
  const results = [...outcomes]
    .sort((a, b) => (a.index ?? 0) - (b.index ?? 0))
    .map((each) => (each.outcome === 'refused' ? { ...each, key: textOf(each.index ?? -1) } : each));
  const answer = bulkAnswer(x, results, 201);
  const [only] = results;
  if (requestedCount > 1 || !only) return answer;
  if (only.outcome === 'refused') throw refusalOf(only);
  return { ...answer, body: { ...answer.body, id: only.id, revision: 1 } };
}
