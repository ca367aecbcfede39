/**
 * Creates selections: freezes the rows that match a filter as ids with revisions. Only the owner can use a selection,
 * for one hour.
 */
import { randomUUID } from 'node:crypto';
import { FreezeSelection, Refusal, SELECTION_TTL_MINUTES, SelectionView } from '@rdm/contracts';
import { type ApiRequest, type Route, route } from '@rdm/platform';
import type { QueryContext } from '../query-context.ts';
import { answer, type ReadRequest, type Tables } from '../read-models/read-models.ts';
import { type Sql, sql } from '../read-models/sql.ts';
import type { Freeze } from './freezable.ts';
import { filterOf } from './list-statement.ts';

/** Lists whose rows can be selected by the command that last changed them. */
const BY_COMMANDS: ReadonlySet<Freeze['kind']> = new Set(['mappings', 'relationship-values', 'instances']);

/**
 * Condition: one of the commands was the last to change the row; always true if `commandIds` is undefined. `seq` is the
 * seq of the current version of the row.
 */
export const lastChangedBy = (tables: Tables, seq: Sql, commandIds: readonly string[] | undefined): Sql =>
  commandIds === undefined
    ? sql`true`
    : sql`${seq} IN (SELECT a.seq FROM ${tables('audit_logs')} a WHERE a.causation_id = ANY(${[...commandIds]}::text[]))`;

interface SelectedRow {
  id: number;
  revision: number;
  kind?: string;
  parent_id?: number;
}

/** Maximum number of rows of a selection, which is read and stored as a whole. */
const SELECTION_MAX = 1_000_000;

const toStoredItem = ({ id, revision, kind, parent_id }: SelectedRow): unknown[] =>
  kind === undefined ? [id, revision] : [id, revision, kind, parent_id];

const criteriaOf = (body: Freeze) => ({ ...body, filter: filterOf(body) });

export const selectionRoutes = ({ readModels, pool, freezable }: QueryContext): Route[] => [
  route(
    'post',
    '/api/selections',
    { level: 'READ' },
    {
      summary: 'Freeze the matching rows of a list into a selection',
      example: { body: { kind: 'instances', parentId: 1, q: 'a' } },
      answers: { 201: SelectionView },
      body: FreezeSelection,
    },
    async (request) => {
      const { kind, parentId, commandIds } = request.body;
      if (commandIds && !BY_COMMANDS.has(kind))
        throw new Refusal('INVALID', `A selection of ${kind} cannot use commandIds`);
      const list = freezable.get(kind);
      if (!list) throw new Refusal('INVALID', `A list of ${kind} cannot be frozen`);
      const readRequest: ReadRequest = { minPosition: request.minPosition };
      const build = await list.query(request as unknown as ApiRequest<Freeze>, readRequest);
      const matches = await readModels.read<SelectedRow>(
        readRequest,
        (tables) => sql`${build(tables)} LIMIT ${SELECTION_MAX + 1}`,
      );
      if (matches.rows.length > SELECTION_MAX) {
        throw new Refusal('TOO_LARGE', `A selection holds at most ${SELECTION_MAX} rows: narrow the filter`);
      }
      const id = randomUUID();
      await pool.query('DELETE FROM platform.selections WHERE expires_at < now()');
      const { rows } = await pool.query(
        `INSERT INTO platform.selections (id, owner_id, kind, parent_id, items, count, expires_at, criteria)
       VALUES ($1, $2, $3, $4, $5::jsonb, $6, now() + $7 * interval '1 minute', $8::jsonb) RETURNING expires_at`,
        [
          id,
          request.principal.userId,
          kind,
          parentId ?? null,
          JSON.stringify(matches.rows.map(toStoredItem)),
          matches.rows.length,
          SELECTION_TTL_MINUTES,
          JSON.stringify(criteriaOf(request.body)),
        ],
      );
      const parents = new Set(matches.rows.flatMap(({ parent_id }) => (parent_id === undefined ? [] : [parent_id])));
      const view: SelectionView = {
        selectionId: id,
        ...(parents.size === 0 ? {} : { parents: [...parents] }),
        count: matches.rows.length,
        expiresAt: (rows[0].expires_at as Date).toISOString(),
      };
      return { ...answer(matches, view), status: 201 };
    },
  ),
];
