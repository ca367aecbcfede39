/** Rows of imports on their way into the table: COPY's text is written straight from the event, no row is an object. */
import { canonicalKey, type InstanceEvent, isPlainText } from '@rdm/contracts';
import type { Numbered } from './numbered-event.ts';
import { cleanJson, escaped } from './rows.ts';

export type Imported = Numbered<Extract<InstanceEvent, { type: 'InstancesImported' }>>;

/** Columns of the table, in the order of the text's. */
export const importedColumns = [
  'data_set_id',
  'id',
  'revision',
  'key',
  'data',
  'deleted',
  'job_id',
  'created_at',
  'created_by',
  'updated_at',
  'updated_by',
  'valid_from',
] as const;

const CHUNK_CHARACTERS = 64 * 1024;

const NULL = '\\N';

/** One line a row, in chunks. */
export function* importedText(events: readonly Imported[]): Generator<string> {
  let chunk = '';
  for (const { data, entityId, metadata, seq } of events) {
    const { fieldIds, keyFieldIds, jobId, rows } = data;
    const { occurredAt, actorId } = metadata;
    const by = `${occurredAt}\t${actorId ?? NULL}`;
    const end = `}\tf\t${jobId}\t${by}\t${by}\t${seq}\n`;
    const first = fieldIds.map((fieldId) => `{"${fieldId}":`);
    const later = fieldIds.map((fieldId) => `,"${fieldId}":`);
    // A field that no column fills is empty.
    const places = keyFieldIds.map((fieldId) => fieldIds.indexOf(fieldId) + 1 || Number.POSITIVE_INFINITY);
    for (const row of rows) {
      const key = canonicalKey(places.map((place) => row[place] ?? null));
      chunk += `${entityId}\t${row[0]}\t1\t${escaped(key)}\t`;
      let names = first;
      for (let index = 0; index < fieldIds.length; index++) {
        const cell = row[index + 1] ?? null;
        if (cell === null) continue;
        chunk += names[index];
        if (isPlainText(cell)) chunk += `"${cell}"`;
        else chunk += typeof cell === 'string' ? escaped(cleanJson(cell)) : JSON.stringify(cell);
        names = later;
      }
      if (names === first) chunk += '{';
      chunk += end;
      if (chunk.length < CHUNK_CHARACTERS) continue;
      yield chunk;
      chunk = '';
    }
  }
  if (chunk !== '') yield chunk;
}
