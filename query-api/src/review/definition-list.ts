/** Shared parts of the lists of crosswalks and relationships: query parameters and selections. */
import { ListQuery, Refusal } from '@rdm/contracts';
import { z } from 'zod';
import { type Viewer, viewerOf } from '../access/viewer.ts';
import type { Freezable } from '../list/freezable.ts';
import { matchingRows } from '../list/list.ts';
import type { ListDefinition } from '../list/list-definition.ts';
import type { Tables } from '../read-models/read-models.ts';
import { type Sql, sql } from '../read-models/sql.ts';

/** The query parameters of the lists: `deleted=true` lists deleted definitions in their last version. */
export const DefinitionsQuery = ListQuery.extend({
  deleted: z
    .enum(['true', 'false'])
    .optional()
    .describe('Whether to list deleted definitions, instead of the current ones.'),
});

export const isListed = (definition: Sql, deleted: boolean): Sql =>
  deleted ? sql`${definition}.deleted` : sql`NOT ${definition}.deleted`;

/** Makes a list of definitions freezable. The tab `deleted` selects deleted definitions. */
export const freezableDefinitions = (
  define: (tables: Tables, viewer: Viewer, deleted: boolean) => ListDefinition,
  columns: Sql,
): Freezable => ({
  async query(request) {
    const { parentId, tab, filter, q } = request.body;
    if (parentId !== undefined)
      throw new Refusal('INVALID', 'Crosswalks and relationships have no parent: leave parentId out');
    if (tab !== undefined && tab !== 'deleted') throw new Refusal('INVALID', 'tab must be “deleted”, or left out');
    const viewer = viewerOf(request);
    return (tables) => matchingRows({ filter, q }, define(tables, viewer, tab === 'deleted'), columns);
  },
});
