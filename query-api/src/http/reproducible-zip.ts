/** Removes timestamps from ZIP files, so that the same content always has the same bytes. */

/** The structures of a ZIP file: signatures, lengths without variable parts, and offsets of fields. */
const ENTRY = { signature: 0x02014b50, length: 46, time: 12, name: 28, extra: 30, comment: 32, local: 42 };
const LOCAL = { signature: 0x04034b50, time: 10 };
const END = { signature: 0x06054b50, length: 22, entries: 10, directory: 16 };

/** The earliest time of the ZIP format: the time field is midnight, the date field 1980-01-01. */
const FIRST_TIME = 0x0021_0000;

/** Sets the times of all files to `FIRST_TIME`, in place. ZIP64 and archive comments are not supported. */
export function withoutTimestamps<Bytes extends Uint8Array>(zip: Bytes): Bytes {
  const view = new DataView(zip.buffer, zip.byteOffset, zip.byteLength);
  const expect = (at: number, signature: number) => {
    if (view.getUint32(at, true) !== signature) throw new Error('The ZIP file does not have the expected structure');
  };
  const end = zip.byteLength - END.length;
  expect(end, END.signature);
  let at = view.getUint32(end + END.directory, true);
  for (let entriesLeft = view.getUint16(end + END.entries, true); entriesLeft > 0; entriesLeft -= 1) {
    expect(at, ENTRY.signature);
    const local = view.getUint32(at + ENTRY.local, true);
    expect(local, LOCAL.signature);
    view.setUint32(at + ENTRY.time, FIRST_TIME, true);
    view.setUint32(local + LOCAL.time, FIRST_TIME, true);
    const lengths = [ENTRY.name, ENTRY.extra, ENTRY.comment].map((field) => view.getUint16(at + field, true));
    at += lengths.reduce((sum, length) => sum + length, ENTRY.length);
  }
  return zip;
}
