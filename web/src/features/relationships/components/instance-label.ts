/** What a row is called beside its key: the relationship's field, or where that is the key, the first text beside it. */
import type { InstanceView } from '@rdm/contracts/data-sets';

export function instanceLabel({ key, data }: Pick<InstanceView, 'key' | 'data'>, field: string): string | null {
  const named = data[field];
  if (named !== null && named !== undefined && named !== '' && String(named) !== key) return String(named);
  const texts = Object.entries(data).filter(
    ([name, cell]) => name !== field && typeof cell === 'string' && cell !== '' && cell !== key,
  );
  return texts[0] === undefined ? null : String(texts[0][1]);
}
