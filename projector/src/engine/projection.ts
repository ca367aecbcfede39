/** What a projection is: tables of its own in a schema of its own, and how a batch of events is folded into them. */
import type { Category, DomainEvent } from '@rdm/contracts';
import { type Change, type FoldedTable, foldInto, indexDdl, type Row, tableDdl } from '../tables/folded-table.ts';
import type { TableShape, WriteContext } from '../tables/rows.ts';
import type { NumberedEvent } from './numbered-event.ts';

/** New revisions of the rows an event touched, in its order: what live messages say. */
export type Revisions = Map<number, number[]>;

export interface Projection {
  name: string;
  /** Grows when its tables or its folds change: then it is built anew beside the serving build. */
  version: number;
  /** Categories of the streams it reads; all of them for the audit log. */
  categories: readonly Category[] | 'all';
  tables: readonly TableShape[];
  /** Folds a batch. No clock, no randomness, nothing but events and its own tables: a rebuild must give the same rows. */
  apply(writing: WriteContext, events: readonly NumberedEvent[]): Promise<Revisions>;
}

/** The tables of a build; its schema is made with them. */
export const buildDdl = (schema: string, projection: Projection): string =>
  `CREATE SCHEMA ${schema};\n${projection.tables.map((table) => tableDdl(schema, table)).join('')}`;

/** Secondary indexes of a build, to be made when it has most of its rows. */
export const buildIndexDdl = (schema: string, projection: Projection): string =>
  projection.tables.map((table) => indexDdl(schema, table)).join('');

/** A projection that is one folded table. */
export function projectionOf<R extends Row, E extends DomainEvent>(
  definition: Pick<Projection, 'name' | 'version' | 'categories'>,
  table: FoldedTable<R, E>,
): Projection {
  return {
    ...definition,
    tables: [table],
    apply: async (writing, events) => revisionsOf(await foldInto(writing, table, events as NumberedEvent<E>[])),
  };
}

/** Revisions that the changes led to; none for an event that left one of its rows at its revision, or took it away. */
export function revisionsOf<R extends Row, E extends DomainEvent>(changes: readonly Change<R, E>[]): Revisions {
  const revisions: Revisions = new Map();
  const withoutRevision = new Set<number>();
  const revisionOf = (row: (R & { revision?: number }) | undefined) => row?.revision;
  for (const { event, before, after } of changes) {
    const { seq } = event;
    const revision = revisionOf(after);
    if (revision === undefined || revision === revisionOf(before)) withoutRevision.add(seq);
    else {
      const known = revisions.get(seq);
      if (known) known.push(revision);
      else revisions.set(seq, [revision]);
    }
  }
  for (const seq of withoutRevision) revisions.delete(seq);
  return revisions;
}
