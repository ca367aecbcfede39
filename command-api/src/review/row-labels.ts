/** Adds the text of the row to each refused outcome, because users read outcomes without the rows. */
import type { DomainEvent, RowOutcome } from '@rdm/contracts';
import type { Execution } from '../runtime/execution.ts';
import type { StreamKind } from '../runtime/fold.ts';

/**
 * `textOf` returns the `key` of an outcome: the key of the row, the pair of a mapping, or the name of a definition. It
 * returns undefined if the stream does not contain the row.
 */
export async function withRowTexts<State, E extends DomainEvent, Outcome extends RowOutcome>(
  x: Execution,
  kind: StreamKind<State, E>,
  stream: string,
  outcomes: Outcome[],
  textOf: (state: State, id: number) => string | undefined,
): Promise<Outcome[]> {
  const refused = outcomes.filter(({ outcome }) => outcome === 'refused');
  if (refused.length === 0) return outcomes;
  const { state } = await x.load(kind, stream, { ids: refused.map(({ id }) => id) });
  return outcomes.map((outcome) => {
    const key = outcome.outcome === 'refused' ? textOf(state, outcome.id) : undefined;
    return key === undefined ? outcome : { ...outcome, key };
  });
}
