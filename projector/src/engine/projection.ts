/** A projection: its own tables in its own schema, and how a batch of events is folded into them. */
import type { Category, DomainEvent } from '@rdm/contracts';
import { type Change, type FoldedTable, foldInto, indexDdl, type Row, tableDdl } from '../tables/folded-table.ts';
import type { TableShape, WriteContext } from '../tables/rows.ts';
import type { NumberedEvent } from './numbered-event.ts';

/** By the seq of an event, the new revisions of its rows, in the order of the event. Live messages contain them. */
export type Revisions = Map<number, number[]>;

export interface Projection {
  name: string;
  /** Increased when the tables or folds change: a new build is then filled while the current build serves. */
  version: number;
  /** Categories of the streams that the projection reads; `all` if it reads every stream. */
  categories: readonly Category[] | 'all';
  /** Whether the projection also folds manifest entries. Requires the categories `all`. */
  foldsPurged?: boolean;
  tables: readonly TableShape[];
  /** Tables that the leader fills from read models, instead of a fold from events. */
  derivedTables?: readonly TableShape[];
  /** Folds a batch. Reads only the events and the projection's own tables, so that a rebuild produces the same rows. */
  apply(context: WriteContext, events: readonly NumberedEvent[]): Promise<Revisions>;
}

/** The schema of a build. */
export const buildSchema = ({ name, version }: Pick<Projection, 'name' | 'version'>, build: number): string =>
  `${name}_v${version}_b${build}`;

const allTables = ({ tables, derivedTables = [] }: Projection): TableShape[] => [...tables, ...derivedTables];

/** DDL of a build's schema and tables. */
export const buildDdl = (schema: string, projection: Projection): string =>
  `CREATE SCHEMA ${schema};\n${allTables(projection)
    .map((table) => tableDdl(schema, table))
    .join('')}`;

/** DDL of a build's secondary indexes. A rebuild creates the indexes once most rows exist. */
export const buildIndexDdl = (schema: string, projection: Projection): string =>
  allTables(projection)
    .map((table) => indexDdl(schema, table))
    .join('');

/** Defines a projection with a single folded table. */
export function projectionOf<R extends Row, E extends DomainEvent>(
  definition: Pick<Projection, 'name' | 'version' | 'categories'>,
  table: FoldedTable<R, E>,
): Projection {
  return {
    ...definition,
    tables: [table],
    apply: async (context, events) => revisionsOf(await foldInto(context, table, events as NumberedEvent<E>[])),
  };
}

/** Collects the new revisions per event. Leaves out an event if one of its rows is removed or has no new revision. */
export function revisionsOf<R extends Row, E extends DomainEvent>(changes: readonly Change<R, E>[]): Revisions {
  const revisions: Revisions = new Map();
  const withoutRevision = new Set<number>();
  const revisionOf = (row: (R & { revision?: number }) | undefined) => row?.revision;
  for (const { event, before, after } of changes) {
    const { seq } = event;
    const revision = revisionOf(after);
    if (revision === undefined || revision === revisionOf(before)) withoutRevision.add(seq);
    else {
      const collected = revisions.get(seq);
      if (collected) collected.push(revision);
      else revisions.set(seq, [revision]);
    }
  }
  for (const seq of withoutRevision) revisions.delete(seq);
  return revisions;
}
