/** Columns that `include` adds to a data set: its first rows. */
import { type DATA_SET_INCLUDES, INCLUDED_ROWS_MAX } from '@rdm/contracts';
import type { ReadableDataSet } from '../access/readable-data-set.ts';
import { instanceList } from '../entities/instance-list.ts';
import { matchingRows } from '../list/list.ts';
import type { Tables } from '../read-models/read-models.ts';
import { type Sql, sql } from '../read-models/sql.ts';

/** Returns the SQL of the columns: the cells by name and the keys of the first rows of the data set. */
export function dataSetIncludes(
  tables: Tables,
  dataSet: ReadableDataSet,
): Record<(typeof DATA_SET_INCLUDES)[number], Sql> {
  const list = instanceList(tables, dataSet, {});
  const rows = matchingRows({}, list, sql`${list.columns['data']} AS data, ${list.columns['key']} AS key`);
  const toJsonList = (each: Sql) =>
    sql`(SELECT coalesce(json_agg(${each}), '[]') FROM (${rows} LIMIT ${INCLUDED_ROWS_MAX}::bigint) i)`;
  return { data: toJsonList(sql`i.data`), extractedValues: toJsonList(sql`i.key`) };
}
