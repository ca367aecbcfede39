/** Adds the labels of rows to refused outcomes, because users read the outcomes without seeing the rows. */
import type { DomainEvent, RowOutcome } from '@rdm/contracts';
import type { Execution } from '../runtime/execution.ts';
import type { StreamKind } from '../runtime/fold.ts';

/** `keyOf` returns the name of a row; undefined if the stream does not contain it. */
export async function withRowLabels<State, E extends DomainEvent, Outcome extends RowOutcome>(
  x: Execution,
  kind: StreamKind<State, E>,
  stream: string,
  outcomes: Outcome[],
  keyOf: (state: State, id: number) => string | undefined,
): Promise<Outcome[]> {
  const refused = outcomes.filter(({ outcome }) => outcome === 'refused');
  if (refused.length === 0) return outcomes;
  const { state } = await x.load(kind, stream, { ids: refused.map(({ id }) => id) });
  return outcomes.map((outcome) => {
    const key = outcome.outcome === 'refused' ? keyOf(state, outcome.id) : undefined;
    return key === undefined ? outcome : { ...outcome, key };
  });
}
