/** Parses and formats the attributes of a value, and finds their problems. */
import type { AttributeView } from '@rdm/contracts/relationships/relationships';
import { type CellValue, parseCell } from '@rdm/contracts/text/rows';

type Definition = Pick<AttributeView, 'name' | 'dataType' | 'isRequired'>;

export interface CheckedAttributes {
  attributes: Record<string, CellValue>;
  /** The problems by attribute name. */
  problems: Record<string, string>;
}

export const attributeTexts = (
  definitions: readonly Definition[],
  values: Readonly<Record<string, CellValue>> = {},
): Record<string, string> => Object.fromEntries(definitions.map(({ name }) => [name, String(values[name] ?? '')]));

export function checkAttributes(
  definitions: readonly Definition[],
  texts: Readonly<Record<string, string | undefined>>,
): CheckedAttributes {
  const attributes: Record<string, CellValue> = {};
  const problems: Record<string, string> = {};
  for (const { name, dataType, isRequired } of definitions) {
    const cell = parseCell(texts[name] ?? '', dataType);
    if (!cell.ok) problems[name] = cell.reason;
    else if (isRequired && cell.value === null) problems[name] = `${name} is required`;
    else attributes[name] = cell.value;
  }
  return { attributes, problems };
}
