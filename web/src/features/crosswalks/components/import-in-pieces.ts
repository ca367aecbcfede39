/** Carries an import of mappings out piece by piece: drafts, edits and, where asked, submits, with an answer for each row. */
import type { RowOutcome } from '@rdm/contracts/crosswalks';
import type { ImportedMapping } from '@rdm/contracts/mapping-exchange';
import type { Outcome, Running } from '../../../components/outcomes/index.tsx';
import { messageOf, rowMessage } from '../../../lib/messages/index.ts';
import { type BulkAnswer, draftMappings, editMappings, reviewMappings } from '../api/mappings.ts';

/** What one request holds. */
export const PIECE = 1_000;

export interface Imported {
  outcomes: Outcome[];
  /** Drafts that were not there before, as they are now. */
  added: { id: number; revision: number }[];
  /** Why it stopped before the end. */
  stopped?: string;
}

const pairText = ({ sourceValue, targetValue }: ImportedMapping) => `${sourceValue} → ${targetValue}`;

const pieces = (rows: readonly ImportedMapping[]): ImportedMapping[][] =>
  Array.from({ length: Math.ceil(rows.length / PIECE) }, (_, index) => rows.slice(index * PIECE, (index + 1) * PIECE));

/** The rows of a preview that say something new. */
export const effective = (rows: readonly ImportedMapping[]): ImportedMapping[] =>
  rows.filter(({ outcome }) => outcome === 'new' || outcome === 'changed');

export async function importInPieces(
  crosswalkId: number,
  rows: readonly ImportedMapping[],
  submit: boolean,
  onProgress: (running: Running, outcomes: readonly Outcome[]) => void,
): Promise<Imported> {
  const wanted = effective(rows);
  const outcomes: Outcome[] = [];
  const added: Imported['added'] = [];
  const work = (['new', 'changed'] as const).flatMap((outcome) =>
    pieces(wanted.filter((row) => row.outcome === outcome)).map((piece) => ({ outcome, piece })),
  );
  onProgress({ done: 0, total: wanted.length }, outcomes);
  for (const { outcome, piece } of work) {
    try {
      const { results } = await (outcome === 'new' ? drafted(crosswalkId, piece) : edited(crosswalkId, piece));
      const written = results.flatMap(({ outcome: became, id, revision = 1 }) =>
        became === 'done' ? [{ id, revision }] : [],
      );
      const submitted =
        submit && written.length > 0 ? await reviewMappings(crosswalkId, 'submit', { rows: written }) : undefined;
      const unsubmitted = refusalsOf(submitted);
      if (outcome === 'new' && !submit) added.push(...written);
      for (const [place, result] of results.entries()) {
        const row = piece[result.index ?? place];
        if (row === undefined) continue;
        const refused = result.outcome === 'refused' ? result : unsubmitted.get(result.id);
        outcomes.push({
          id: row.row,
          label: pairText(row),
          outcome: refused === undefined ? 'done' : 'refused',
          message: refused && rowMessage(refused),
        });
      }
    } catch (error) {
      return { outcomes, added, stopped: messageOf(error) };
    }
    onProgress({ done: outcomes.length, total: wanted.length }, outcomes);
  }
  return { outcomes, added };
}

const drafted = (crosswalkId: number, piece: readonly ImportedMapping[]) =>
  draftMappings(
    crosswalkId,
    piece.map(({ sourceValue, targetValue, confidence }) => ({
      sourceValue,
      targetValue,
      confidence,
      origin: 'IMPORT' as const,
    })),
  );

/** Answers come in the order of the buckets, by id: their places in the piece are told by it. */
async function edited(crosswalkId: number, piece: readonly ImportedMapping[]): Promise<{ results: RowOutcome[] }> {
  const places = new Map(piece.map(({ id }, index) => [id, index]));
  const { results } = await editMappings(
    crosswalkId,
    piece.map(({ id, revision, targetValue, confidence }) => ({
      id: id ?? 0,
      revision: revision ?? 0,
      targetValue,
      confidence,
    })),
  );
  return { results: results.map((result) => ({ ...result, index: places.get(result.id) ?? 0 })) };
}

const refusalsOf = (answer: BulkAnswer | undefined): Map<number, RowOutcome> =>
  new Map((answer?.results ?? []).filter(({ outcome }) => outcome === 'refused').map((result) => [result.id, result]));
