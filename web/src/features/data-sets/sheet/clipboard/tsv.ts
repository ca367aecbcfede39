/**
 * Reads and writes the clipboard format of spreadsheets: tabs separate cells, line breaks separate lines, and cells are
 * quoted where needed.
 */

const QUOTE = '"';

/**
 * Returns the position after the closing quote of the cell at `start`; undefined if the cell has no closing quote, or
 * continues after it.
 */
function quotedEnd(text: string, start: number): number | undefined {
  for (let position = start + 1; position < text.length; position++) {
    if (text[position] !== QUOTE) continue;
    if (text[position + 1] === QUOTE) position += 1;
    else if (position + 1 === text.length || '\t\r\n'.includes(text[position + 1] as string)) return position + 1;
    else return undefined;
  }
  return undefined;
}

/**
 * Parses cells copied from a spreadsheet; leading zeros and spaces remain. A cell that is not quoted correctly is plain
 * text. A final line break adds no line.
 */
export function parseTsv(text: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  let position = 0;
  while (position < text.length || row.length > 0) {
    const endOfQuotedCell = text[position] === QUOTE ? quotedEnd(text, position) : undefined;
    if (endOfQuotedCell === undefined) {
      const from = position;
      while (position < text.length && !'\t\r\n'.includes(text[position] as string)) position += 1;
      row.push(text.slice(from, position));
    } else {
      row.push(text.slice(position + 1, endOfQuotedCell - 1).replaceAll('""', QUOTE));
      position = endOfQuotedCell;
    }
    if (text[position] === '\t') {
      position += 1;
      continue;
    }
    if (text[position] === '\r' && text[position + 1] === '\n') position += 1;
    position += 1;
    rows.push(row);
    row = [];
  }
  return rows;
}

const quoteCell = (cell: string): string =>
  /[\t\r\n]/.test(cell) || cell.startsWith(QUOTE) ? `${QUOTE}${cell.replaceAll(QUOTE, '""')}${QUOTE}` : cell;

/** Formats cells so that spreadsheets, and `parseTsv`, read the same values. */
export function serializeTsv(rows: readonly (readonly string[])[]): string {
  const lines = rows.map((row) => row.map(quoteCell).join('\t'));
  // Without a final line break, an empty last line would be lost.
  return lines.join('\n') + (lines.at(-1) === '' ? '\n' : '');
}

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

/**
 * Formats cells as an HTML table. Its cells are marked as texts, because spreadsheet programs would read `007` as a
 * number. A line break of a value stays within its cell.
 */
export function serializeHtml(rows: readonly (readonly string[])[]): string {
  const cell = (text: string) =>
    `<td style="mso-number-format:'\\@';white-space:pre">${text
      .replace(/[&<>]/g, (character) => ENTITIES[character] as string)
      .replaceAll(/\r\n|\r|\n/g, '<br style="mso-data-placement:same-cell">')}</td>`;
  return `<meta charset="utf-8"><table>${rows.map((row) => `<tr>${row.map(cell).join('')}</tr>`).join('')}</table>`;
}
