/**
 * Reads and writes the clipboard format of spreadsheets: cells separated by tabs, lines by line breaks, with quotes
 * where needed.
 */

const QUOTE = '"';

/** The position after the closing quote of the quoted cell at `start`; undefined if no separator or end of the text follows it. */
function quotedEnd(text: string, start: number): number | undefined {
  for (let at = start + 1; at < text.length; at++) {
    if (text[at] !== QUOTE) continue;
    if (text[at + 1] === QUOTE) at += 1;
    else if (at + 1 === text.length || '\t\r\n'.includes(text[at + 1] as string)) return at + 1;
    else return undefined;
  }
  return undefined;
}

/**
 * Parses cells copied from a spreadsheet without changes: leading zeros, spaces, and line breaks and tabs within quotes
 * are kept. A cell that begins with a quote but is not closed properly is plain text. A final line break ends the last
 * line.
 */
export function parseTsv(text: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  let at = 0;
  while (at < text.length || row.length > 0) {
    const endOfQuotedCell = text[at] === QUOTE ? quotedEnd(text, at) : undefined;
    if (endOfQuotedCell === undefined) {
      const from = at;
      while (at < text.length && !'\t\r\n'.includes(text[at] as string)) at += 1;
      row.push(text.slice(from, at));
    } else {
      row.push(text.slice(at + 1, endOfQuotedCell - 1).replaceAll('""', QUOTE));
      at = endOfQuotedCell;
    }
    if (text[at] === '\t') {
      at += 1;
      continue;
    }
    if (text[at] === '\r' && text[at + 1] === '\n') at += 1;
    at += 1;
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
  // An empty line needs its line break to be recognised.
  return lines.join('\n') + (lines.at(-1) === '' ? '\n' : '');
}

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

/**
 * Formats cells as an HTML table. Its cells are marked as texts, because spreadsheet programs would read `007` as a number. A
 * line break of a value stays within its cell.
 */
export function serializeHtml(rows: readonly (readonly string[])[]): string {
  const cell = (text: string) =>
    `<td style="mso-number-format:'\\@';white-space:pre">${text
      .replace(/[&<>]/g, (character) => ENTITIES[character] as string)
      .replaceAll(/\r\n|\r|\n/g, '<br style="mso-data-placement:same-cell">')}</td>`;
  return `<meta charset="utf-8"><table>${rows.map((row) => `<tr>${row.map(cell).join('')}</tr>`).join('')}</table>`;
}
