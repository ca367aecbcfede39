/** Drafts many values piece by piece, with progress and an answer for each. */
import type { NewRelationshipValue } from '@rdm/contracts/relationship-values';
import type { Outcome, Running } from '../../../components/outcomes/index.tsx';
import { messageOf, rowMessage } from '../../../lib/messages/index.ts';
import { draftValues } from '../api/values.ts';

/** What one request may hold. */
export const PIECE = 1_000;

export interface Drafting {
  id: number;
  /** The pair as people read it. */
  label: string;
  value: NewRelationshipValue;
}

export interface Drafted {
  outcomes: Outcome[];
  added: { id: number; revision: number }[];
  /** Why it stopped before the end. */
  stopped?: string;
}

export async function draftInPieces(
  relationshipId: number,
  rows: readonly Drafting[],
  onProgress: (running: Running, outcomes: readonly Outcome[]) => void,
): Promise<Drafted> {
  const outcomes: Outcome[] = [];
  const added: Drafted['added'] = [];
  onProgress({ done: 0, total: rows.length }, outcomes);
  for (let start = 0; start < rows.length; start += PIECE) {
    const piece = rows.slice(start, start + PIECE);
    try {
      const { results } = await draftValues(
        relationshipId,
        piece.map(({ value }) => value),
      );
      for (const [place, result] of results.entries()) {
        const row = piece[result.index ?? place];
        if (row === undefined) continue;
        outcomes.push({
          id: row.id,
          label: <span className="font-mono">{row.label}</span>,
          outcome: result.outcome,
          message: rowMessage(result),
        });
        if (result.outcome === 'done') added.push({ id: result.id, revision: result.revision ?? 1 });
      }
    } catch (error) {
      return { outcomes, added, stopped: messageOf(error) };
    }
    onProgress({ done: start + piece.length, total: rows.length }, outcomes);
  }
  return { outcomes, added };
}
