/** Reads the first sheet of an XLSX file: its name, its typed cells and its XML. */
import { inflateRawSync } from 'node:zlib';

const DIRECTORY_END_SIGNATURE = 0x06054b50;
const ENTRY_SIGNATURE = 0x02014b50;

/** Returns the content of each file of a ZIP archive by its path. */
function unzip(zip: Buffer): Map<string, string> {
  const end = zip.lastIndexOf(Buffer.from(Uint32Array.of(DIRECTORY_END_SIGNATURE).buffer));
  const files = new Map<string, string>();
  let offset = zip.readUInt32LE(end + 16);
  while (zip.readUInt32LE(offset) === ENTRY_SIGNATURE) {
    const [compressedSize, nameLength, extraLength, commentLength] = [20, 28, 30, 32].map((field) =>
      field === 20 ? zip.readUInt32LE(offset + field) : zip.readUInt16LE(offset + field),
    ) as [number, number, number, number];
    const name = zip.toString('utf8', offset + 46, offset + 46 + nameLength);
    const localHeader = zip.readUInt32LE(offset + 42);
    const start = localHeader + 30 + zip.readUInt16LE(localHeader + 26) + zip.readUInt16LE(localHeader + 28);
    const bytes = zip.subarray(start, start + compressedSize);
    files.set(name, (zip.readUInt16LE(offset + 10) === 0 ? bytes : inflateRawSync(bytes)).toString('utf8'));
    offset += 46 + nameLength + extraLength + commentLength;
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
  /** The number format, such as `@` for texts or `yyyy-mm-dd`. */
  format: string | undefined;
}

export interface Sheet {
  name: string;
  /** The cells by address, such as `A1`. */
  cells: Map<string, SheetCell>;
  /** The whole XML, in which tests search for content that must be absent. */
  xml: string;
}

/** Reads the first sheet of a workbook. */
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
  const cellFormats = [...(/<cellXfs[\s\S]*<\/cellXfs>/.exec(styles)?.[0] ?? '').matchAll(/<xf ([^>]*)>/g)].map(
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
      format: style === undefined ? undefined : cellFormats[Number(style)],
    });
  }
  return { name: unescapeXml(/<sheet [^>]*name="([^"]*)"/.exec(part('xl/workbook.xml'))?.[1] ?? ''), cells, xml };
}
