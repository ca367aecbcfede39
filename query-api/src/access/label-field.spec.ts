/** Tests how the label field of a data set is found. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type SpecDatabase, startDatabase } from '../fixtures/database.ts';
import { rawSql, sql, toStatement } from '../read-models/sql.ts';
import { fieldName, labelField } from './label-field.ts';

let database: SpecDatabase;
beforeAll(async () => {
  database = await startDatabase();
}, 120_000);
afterAll(() => database?.stop());

interface DataSetCase {
  /** Names of fields; the first is the key. `name` is a text, `name:number` has another type, `name!` is retired. */
  fields: readonly string[];
  /** The label field that the data set chose. */
  chosen?: string;
  /** The field that cannot be the label field: the mapped field of a crosswalk, by default the key. */
  excluded?: string;
  /** The label field that the crosswalk chose. */
  ofCrosswalk?: string;
}

async function labelOf({ fields, chosen, excluded, ofCrosswalk }: DataSetCase): Promise<string | null> {
  const all = fields.map((written, index) => {
    const [name = '', dataType = 'string'] = written.replace('!', '').split(':');
    return { fieldId: index + 1, name, dataType, retired: written.endsWith('!') };
  });
  const idOf = (name: string | undefined) => all.find((field) => field.name === name)?.fieldId ?? null;
  const rule = labelField(
    sql`d`,
    sql`t`,
    rawSql(`ARRAY[${idOf(excluded) ?? 1}::bigint]`),
    rawSql(`${idOf(ofCrosswalk) ?? 'NULL'}::bigint`),
  );
  const { rows } = await database.pool.query(
    toStatement(sql`SELECT ${fieldName(rule, sql`t.fields`)} AS label
          FROM (SELECT ${idOf(chosen)}::bigint AS label_field_id) d, (SELECT ${JSON.stringify(all)}::jsonb AS fields) t`),
  );
  return rows[0].label;
}

describe('the label field', () => {
  it.each<[string, DataSetCase, string | null]>([
    ['a field named name rather than a field named description', { fields: ['code', 'description', 'name'] }, 'name'],
    [
      'a field whose name contains a word such as name or title',
      { fields: ['Id', 'Part2b', 'Part1', 'Scope', 'Ref_Name', 'Comment'] },
      'Ref_Name',
    ],
    ['a name in camel case', { fields: ['code', 'iso2', 'countryName'] }, 'countryName'],
    ['the first text after the key if no name matches', { fields: ['nr', 'Bezeichnung', 'Farbe'] }, 'Bezeichnung'],
    ['null if all fields are codes, statuses or ids', { fields: ['alpha2', 'isoCode', 'status', 'parentId'] }, null],
    ['not a field of synonyms', { fields: ['code', 'otherNames'] }, null],
    ['not a field named name that is no text', { fields: ['code', 'name:number', 'title'] }, 'title'],
    ['not a retired field', { fields: ['code', 'name!', 'title'] }, 'title'],
    [
      'the field that was chosen, whatever its name and data type',
      { fields: ['code', 'name', 'rank:number'], chosen: 'rank' },
      'rank',
    ],
    [
      'found by name again once the chosen field is retired',
      { fields: ['code', 'name', 'rank:number!'], chosen: 'rank' },
      'name',
    ],
    [
      'the field that the crosswalk chose, although the data set chose another one',
      { fields: ['code', 'name', 'rank:number', 'remark'], chosen: 'remark', ofCrosswalk: 'rank' },
      'rank',
    ],
    [
      'the field that the data set chose if the crosswalk chose its mapped field',
      { fields: ['code', 'name', 'remark'], chosen: 'remark', excluded: 'name', ofCrosswalk: 'name' },
      'remark',
    ],
    [
      'another field if the chosen field is the mapped field of the crosswalk',
      { fields: ['code', 'name', 'title'], chosen: 'name', excluded: 'name' },
      'title',
    ],
  ])('is %s', async (_, dataSet, expected) => {
    expect(await labelOf(dataSet)).toBe(expected);
  });
});
