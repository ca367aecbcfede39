/** Undo of what one command did to rows under review, each answered for itself. */
import {
  type ApprovalKind,
  type Category,
  parseStream,
  Refusal,
  ROWS_UNDONE_OTHERWISE,
  UndoBatch,
  type UndoneOutcome,
} from '@rdm/contracts';
import { type Route, route } from '@rdm/platform';
import { z } from 'zod';
import { type Commands, command } from '../commands.ts';
import type { Execution } from '../execution.ts';
import { bulkAnswer } from '../rows.ts';
import type { Batch, Undoers } from '../undoing.ts';

const UNKNOWN = 'This batch does not exist, or is too old to be undone';

/** What a command left behind about itself; commands are kept for 7 days. */
async function batchOf(x: Execution, commandId: string): Promise<Batch> {
  const { rows } = await x.pool.query<{
    actor_id: string | null;
    steps: Record<string, number>;
    working: boolean;
  }>(
    `SELECT payload -> 'meta' ->> 'actorId' AS actor_id, steps,
            status IS NULL OR EXISTS (SELECT FROM command.bulk_decisions b WHERE b.command_id = c.command_id) AS working
       FROM command.commands c WHERE command_id = $1`,
    [commandId],
  );
  const [row] = rows;
  if (!row) throw new Refusal('NOT_FOUND', UNKNOWN);
  if (row.working) throw new Refusal('CONFLICT', 'This is still being worked on: undo it once it is done');
  const streams = new Map<string, number>();
  for (const [step, expected] of Object.entries(row.steps)) {
    const stream = step.slice(0, step.lastIndexOf('#'));
    streams.set(stream, Math.max(streams.get(stream) ?? -1, expected));
  }
  return { commandId, actorId: row.actor_id === null ? null : Number(row.actor_id), streams };
}

interface Part {
  kind: ApprovalKind;
  parentId: number;
  category: Category;
  streams: string[];
}

/** Streams of the batch by what they are about; those of other kinds have no undo here. */
function partsOf({ streams }: Batch, undoers: Undoers): Part[] {
  const parts = new Map<string, Part>();
  for (const stream of streams.keys()) {
    const { category, id } = parseStream(stream);
    const kind = undoers[category as Category]?.kind;
    if (kind === undefined) continue;
    const key = `${category} ${id}`;
    const part = parts.get(key) ?? { kind, parentId: id, category: category as Category, streams: [] };
    part.streams.push(stream);
    parts.set(key, part);
  }
  return [...parts.values()];
}

/** Why what a command did to rows of a data set has no undo here is told to who gave it; for others it does not exist. */
function requireReviewed(x: Execution, { actorId, streams }: Batch): void {
  const isOfRows = [...streams.keys()].some((stream) => parseStream(stream).category === 'instances');
  if (isOfRows && actorId === x.actorId) throw new Refusal('CONFLICT', ROWS_UNDONE_OTHERWISE);
}

function commandIdIn(params: Record<string, string>): string {
  const read = z.uuid().safeParse(params['commandId']);
  if (!read.success) throw new Refusal('NOT_FOUND', UNKNOWN);
  return read.data;
}

export function batchRoutes(commands: Commands, undoers: Undoers): Route[] {
  const undo = command<{ commandId: string; comment?: string }>('UndoBatch', async (x, { commandId, comment }) => {
    const batch = await batchOf(x, commandId);
    const results: UndoneOutcome[] = [];
    let hidden: Refusal | undefined;
    requireReviewed(x, batch);
    for (const { kind, parentId, category, streams } of partsOf(batch, undoers)) {
      try {
        const outcomes = (await undoers[category]?.undo(x, batch, parentId, streams, comment)) ?? [];
        results.push(...outcomes.map((outcome) => ({ ...outcome, kind, parentId })));
      } catch (error) {
        // A parent that is gone, or hidden from this user, keeps its own rows alone.
        if (!(error instanceof Refusal)) throw error;
        hidden ??= error.code === 'NOT_FOUND' ? new Refusal('NOT_FOUND', UNKNOWN) : error;
      }
    }
    if (results.length > 0) return bulkAnswer(x, results);
    throw hidden ?? new Refusal('NOT_FOUND', UNKNOWN);
  });
  commands.register([undo]);
  return [
    route('post', '/api/batches/:commandId/undo', { level: 'WRITE' }, { body: UndoBatch }, (said) =>
      commands.handle(undo, said, {
        commandId: commandIdIn(said.params),
        ...(said.body.comment === undefined ? {} : { comment: said.body.comment }),
      }),
    ),
  ];
}
