/** Review commands of crosswalks and relationships: on one definition, on many, and through approvals. */
import { type ProductEvent, REVIEW_REFUSALS, Refusal, type ReviewRows, type RowOutcome } from '@rdm/contracts';
import { bulkAnswer } from '../bulk/row-chunks.ts';
import { needsJob, startJob } from '../bulk/start.ts';
import type { DefinitionKind } from '../invariants/definition-ends.ts';
import { command } from '../runtime/commands.ts';
import type { Execution } from '../runtime/execution.ts';
import type { ReviewItems } from './reviewers.ts';
import { withRowTexts } from './row-labels.ts';
import { type RowVerb, refusalOf, refusedRow, VERB_WORDS } from './row-review.ts';
import { selectedRows } from './selections.ts';

interface NamedDefinition {
  id: number;
  deleted: boolean;
  value: { name: string };
}

type GovernanceOf = (x: Execution, id: number) => Promise<{ governedBy: readonly number[] }>;

interface ReviewedDefinitions<State extends NamedDefinition, E extends ProductEvent, Verb> {
  /** The names of the commands on one definition and on many. */
  commands: { one: string; many: string };
  kind: 'crosswalks' | 'relationships';
  definitionKind: DefinitionKind<State, E>;
  /** Returns the data sets of a definition, its source first; throws if the definition never existed or is hidden. */
  governanceOf: GovernanceOf;
  review: (
    x: Execution,
    verb: Verb | 'approve' | 'reject',
    id: number,
    revision: number | undefined,
    comment: string | undefined,
  ) => Promise<RowOutcome[]>;
  /** The answer of a command on one definition. */
  answer: (x: Execution, id: number) => { body: object };
}

export function definitionReview<State extends NamedDefinition, E extends ProductEvent, Verb extends RowVerb>({
  commands,
  kind,
  definitionKind,
  governanceOf,
  review,
  answer,
}: ReviewedDefinitions<State, E, Verb>) {
  // Stored commands call the expected revision `seen`.
  const reviewOne = command<{ id: number; verb: Verb; comment?: string; seen?: number }>(
    commands.one,
    async (x, { id, verb, comment, seen: expectedRevision }) => {
      const [outcome] = await review(x, verb, id, expectedRevision, comment);
      if (outcome?.outcome === 'refused') throw refusalOf(outcome);
      // The command id is needed to undo the review.
      return { body: { ...answer(x, id).body, commandId: x.meta.commandId } };
    },
  );

  const reviewMany = command<{ verb: Verb; body: ReviewRows }>(commands.many, async (x, { verb, body }) => {
    const requestedRows = 'rows' in body ? body.rows : await selectedRows(x, body.selectionId, kind);
    const rows = [...new Map(requestedRows.map((row) => [row.id, row])).values()];
    if ('selectionId' in body && needsJob(x, rows)) {
      const governance = await governingDataSetsOf(x, rows, governanceOf);
      if (governance) {
        const verbText = VERB_WORDS[verb];
        const description = `${verbText} ${rows.length.toLocaleString('en')} ${kind}`;
        const selection = { selectionId: body.selectionId };
        return startJob(x, { input: selection, verbText, total: rows.length, description, ...governance });
      }
    }
    const results: RowOutcome[] = [];
    for (const { id, revision } of rows) {
      const stream = definitionKind.stream(id);
      const decide = async () => {
        const outcomes = await review(x, verb, id, revision, body.comment);
        return withRowTexts(x, definitionKind.streamKind, stream, outcomes, (state) => state?.value.name);
      };
      results.push(...(await x.piece(stream, () => x.withPace(1, () => decide().catch(toRowRefusal(id))))));
    }
    return bulkAnswer(x, results);
  });

  /** Reviews definitions for the approvals module. */
  const reviewItems: ReviewItems = async (x, verb, parentId, rows, comment) => {
    const results: RowOutcome[] = [];
    for (const { id, revision } of rows) {
      // A definition is its own parent.
      if (id !== parentId)
        results.push({ id, outcome: 'refused', code: 'NOT_FOUND', message: REVIEW_REFUSALS.NOT_FOUND });
      else results.push(...(await x.piece(definitionKind.stream(id), () => review(x, verb, id, revision, comment))));
    }
    return results;
  };

  return { reviewOne, reviewMany, reviewItems };
}

/** Turns a refusal into the outcome of its row, so that the command continues with the next definition. */
const toRowRefusal =
  (id: number) =>
  (error: unknown): RowOutcome[] => {
    if (!(error instanceof Refusal)) throw error;
    const { code, message } = error;
    return code === 'NOT_FOUND' ? [refusedRow(id, code)] : [{ id, outcome: 'refused', code, message }];
  };

/**
 * Returns the data sets of the visible definitions: the sources as `dataSetIds`, the sources and targets as
 * `governedBy`. Undefined if the user can see none of the definitions.
 */
async function governingDataSetsOf(x: Execution, rows: readonly { id: number }[], governanceOf: GovernanceOf) {
  const sources = new Set<number>();
  const all = new Set<number>();
  for (const { id } of rows) {
    const { governedBy } = await governanceOf(x, id).catch(noDataSets);
    for (const dataSetId of governedBy.slice(0, 1)) sources.add(dataSetId);
    for (const dataSetId of governedBy) all.add(dataSetId);
  }
  return sources.size === 0 ? undefined : { dataSetIds: [...sources], governedBy: [...all] };
}

function noDataSets(error: unknown): { governedBy: readonly number[] } {
  if (error instanceof Refusal) return { governedBy: [] };
  throw error;
}
