/** Reads an XLSX file: its parts, and the typed cells of its first sheet. */
import { inflateRawSync } from 'node:zlib';

const DIRECTORY_END = 0x06054b50;
const ENTRY = 0x02014b50;

/** Returns the files of a ZIP archive from its directory. */
function unzip(zip: Buffer): Map<string, string> {
  const end = zip.lastIndexOf(Buffer.from(Uint32Array.of(DIRECTORY_END).buffer));
  const files = new Map<string, string>();
  let at = zip.readUInt32LE(end + 16);
  while (zip.readUInt32LE(at) === ENTRY) {
    const [compressed, nameLength, extra, comment] = [20, 28, 30, 32].map((offset) =>
      offset === 20 ? zip.readUInt32LE(at + offset) : zip.readUInt16LE(at + offset),
    ) as [number, number, number, number];
    const name = zip.toString('utf8', at + 46, at + 46 + nameLength);
    const local = zip.readUInt32LE(at + 42);
    const start = local + 30 + zip.readUInt16LE(local + 26) + zip.readUInt16LE(local + 28);
    const bytes = zip.subarray(start, start + compressed);
    files.set(name, (zip.readUInt16LE(at + 10) === 0 ? bytes : inflateRawSync(bytes)).toString('utf8'));
    at += 46 + nameLength + extra + comment;
  }
  return files;
}

const unescapeXml = (xml: string): string =>
  xml
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&apos;', "'")
    .replaceAll('&amp;', '&');

export interface SheetCell {
  /** `s` for a text, `b` for a boolean, `n` for a number or a date. */
  type: string;
  value: string;
  /** The number format: `@` for texts, `yyyy-mm-dd`. */
  format: string | undefined;
}

export interface Sheet {
  name: string;
  /** By address: `A1`. */
  cells: Map<string, SheetCell>;
  /** The whole XML, to search for what must not be in it. */
  xml: string;
}

export function firstSheet(file: Buffer): Sheet {
  const files = unzip(file);
  const part = (name: string): string => files.get(name) ?? '';
  const shared = [...part('xl/sharedStrings.xml').matchAll(/<si><t[^>]*>([\s\S]*?)<\/t><\/si>/g)].map(([, text = '']) =>
    unescapeXml(text),
  );
  const styles = part('xl/styles.xml');
  const formats = new Map(
    [...styles.matchAll(/<numFmt numFmtId="(\d+)" formatCode="([^"]*)"/g)].map(([, id, code = '']) => [
      id,
      unescapeXml(code),
    ]),
  );
  const used = [...(/<cellXfs[\s\S]*<\/cellXfs>/.exec(styles)?.[0] ?? '').matchAll(/<xf ([^>]*)>/g)].map(
    ([, attributes = '']) => formats.get(/numFmtId="(\d+)"/.exec(attributes)?.[1]),
  );
  const xml = part('xl/worksheets/sheet1.xml');
  const cells = new Map<string, SheetCell>();
  for (const [, attributes = '', content = ''] of xml.matchAll(/<c ([^>]*)>([\s\S]*?)<\/c>/g)) {
    const attribute = (name: string) => new RegExp(`\\b${name}="([^"]*)"`).exec(attributes)?.[1];
    const type = attribute('t') ?? 'n';
    const raw = /<v>([\s\S]*?)<\/v>/.exec(content)?.[1] ?? '';
    const style = attribute('s');
    cells.set(attribute('r') ?? '', {
      type,
      value: type === 's' ? (shared[Number(raw)] ?? '') : raw,
      format: style === undefined ? undefined : used[Number(style)],
    });
  }
  return { name: unescapeXml(/<sheet [^>]*name="([^"]*)"/.exec(part('xl/workbook.xml'))?.[1] ?? ''), cells, xml };
}
