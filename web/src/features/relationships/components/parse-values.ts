/** Values read from a paste or a CSV file: which column is what, and each row with what is wrong in it. */
import { withoutMark } from '@rdm/contracts/csv';
import type { NewRelationshipValue } from '@rdm/contracts/relationship-values';
import type { AttributeView } from '@rdm/contracts/relationships';
import { checkAttributes } from './attribute-cells.ts';

type Definition = Pick<AttributeView, 'name' | 'dataType' | 'isRequired'>;

/** What a column holds: a key of one end, an attribute, or nothing of use. */
export type ColumnUse = 'source' | 'target' | `attribute:${string}` | 'ignore';

export const attributeUse = (name: string): ColumnUse => `attribute:${name}`;

const folded = (text: string | undefined) =>
  (text ?? '')
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]/gu, '');

export interface EndNames {
  source: { name: string; field: string };
  target: { name: string; field: string };
}

function useNamed(header: string, ends: EndNames, definitions: readonly Definition[]): ColumnUse {
  const word = folded(header);
  const attribute = definitions.find(({ name }) => folded(name) === word);
  if (attribute !== undefined) return attributeUse(attribute.name);
  const isOf = (side: 'source' | 'target') =>
    [side, `${side}key`, ends[side].name, `${ends[side].name}key`, `${side}${ends[side].field}`].some(
      (name) => folded(name) === word,
    );
  if (isOf('source')) return 'source';
  return isOf('target') ? 'target' : 'ignore';
}

/** Whether the first row names columns: it does when it names one of both ends or an attribute. */
export const hasHeader = (first: readonly string[], ends: EndNames, definitions: readonly Definition[]): boolean =>
  first.some((cell) => useNamed(cell, ends, definitions) !== 'ignore');

/** Proposes what each column holds: by its name, and where that says nothing by its place. */
export function proposedUses(
  first: readonly string[],
  named: boolean,
  ends: EndNames,
  definitions: readonly Definition[],
): ColumnUse[] {
  const uses = named
    ? first.map((header) => useNamed(header, ends, definitions))
    : first.map((): ColumnUse => 'ignore');
  const wanted: ColumnUse[] = ['source', 'target', ...(named ? [] : definitions.map(({ name }) => attributeUse(name)))];
  for (const use of wanted) {
    const free = uses.indexOf('ignore');
    if (!uses.includes(use) && free !== -1) uses[free] = use;
  }
  // The same use twice would be a guess: the first column with it wins.
  return uses.map((use, index) => (use !== 'ignore' && uses.indexOf(use) !== index ? 'ignore' : use));
}

export interface ParsedValue {
  /** Place among the rows that hold something, from 1. */
  row: number;
  sourceKey: string;
  targetKey: string;
  attributes: Record<string, string>;
  /** What is wrong; undefined for one that can be sent. */
  problem: string | undefined;
  value: NewRelationshipValue;
}

/** Reads rows of cells; rows that hold nothing are left out. Keys stay text: leading zeros survive. */
export function parseValues(
  rows: readonly (readonly string[])[],
  named: boolean,
  uses: readonly ColumnUse[],
  definitions: readonly Definition[],
): ParsedValue[] {
  const cellOf = (row: readonly string[], use: ColumnUse) => {
    const column = uses.indexOf(use);
    const cell = column === -1 ? '' : withoutMark(row[column] ?? '');
    return use === 'source' || use === 'target' || cell.trim() === '' ? cell.trim() : cell;
  };
  return rows.flatMap((row, index): ParsedValue[] => {
    if ((named && index === 0) || row.every((cell) => cell.trim() === '')) return [];
    const sourceKey = cellOf(row, 'source');
    const targetKey = cellOf(row, 'target');
    const texts = Object.fromEntries(definitions.map(({ name }) => [name, cellOf(row, attributeUse(name))]));
    const { attributes, problems } = checkAttributes(definitions, texts);
    const problem =
      sourceKey === ''
        ? 'The source key is missing'
        : targetKey === ''
          ? 'The target key is missing'
          : Object.entries(problems).map(([name, why]) => (why.startsWith(name) ? why : `${name}: ${why}`))[0];
    return [
      {
        row: index + 1,
        sourceKey,
        targetKey,
        attributes: texts,
        problem,
        value: { sourceKey, targetKey, attributes },
      },
    ];
  });
}
