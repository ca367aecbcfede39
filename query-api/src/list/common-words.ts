/** Caches the common words of the fields of large data sets, from PostgreSQL's statistics on the indexed texts. */
import type { TypeField } from '@rdm/contracts';
import { fieldIndexPrefix, type Log, type Pool } from '@rdm/platform';
import type { ReadableDataSet } from '../access/readable-data-set.ts';
import { type CommonWords, commonWords, type SampledText } from './filter/common-words.ts';
import { escapeLike } from './filter/like.ts';

/** How long words are cached. Empty results are cached more briefly: PostgreSQL may analyse the table at any moment. */
const CACHED_FOR_MS = 10 * 60_000;
const EMPTY_CACHED_FOR_MS = 10_000;
/** Maximum number of data sets in the cache. */
const CACHED_DATA_SETS = 500;

const NONE: CommonWords = new Set();

type IndexedDataSet = Pick<ReadableDataSet, 'id'> & { fields: readonly Pick<TypeField, 'fieldId' | 'dataType'>[] };

interface CachedWords {
  /** The time at which the last read started or succeeded, in milliseconds since 1970. */
  at: number;
  byField: ReadonlyMap<number, CommonWords>;
}

/**
 * Creates a function that returns the cached common words of a field without waiting. The set is empty before the first
 * read, and for fields without an index.
 */
export function openCommonWords(pool: Pool, log: Log): (dataSet: IndexedDataSet, fieldId: number) => CommonWords {
  const cached = new Map<number, CachedWords>();

  const store = (dataSetId: number, byField: CachedWords['byField']) => {
    cached.delete(dataSetId);
    cached.set(dataSetId, { at: Date.now(), byField });
    const [oldest] = cached.keys();
    if (cached.size > CACHED_DATA_SETS && oldest !== undefined) cached.delete(oldest);
  };

  return (dataSet, fieldId) => {
    const words = cached.get(dataSet.id);
    if (words && Date.now() < words.at + (words.byField.size > 0 ? CACHED_FOR_MS : EMPTY_CACHED_FOR_MS))
      return words.byField.get(fieldId) ?? NONE;
    // Stores the previous words again, so that requests use these words and start no second read during the read.
    const previous = words?.byField ?? new Map<number, CommonWords>();
    store(dataSet.id, previous);
    readCommonWords(pool, dataSet).then(
      (byField) => store(dataSet.id, byField),
      (error: unknown) => log.warn({ err: error, dataSetId: dataSet.id }, 'The common words could not be read'),
    );
    return previous.get(fieldId) ?? NONE;
  };
}

interface TextStatistics {
  index: string;
  absent: number;
  frequent: string[] | null;
  frequencies: number[] | null;
  others: string[] | null;
}

async function readCommonWords(pool: Pool, { id, fields }: IndexedDataSet): Promise<CachedWords['byField']> {
  const texts = fields.filter(({ dataType }) => dataType === 'string').map(({ fieldId }) => fieldId);
  const indexOf = (fieldId: number) => fieldIndexPrefix(id, fieldId, 'parts');
  // PostgreSQL stores the statistics on an index expression under the name of the index.
  const { rows } = await pool.query<TextStatistics>(
    `SELECT tablename AS index, null_frac AS absent, most_common_vals::text::text[] AS frequent,
        most_common_freqs AS frequencies, histogram_bounds::text::text[] AS others
       FROM pg_stats WHERE tablename LIKE ANY($1)`,
    [texts.map((fieldId) => `${escapeLike(indexOf(fieldId))}%`)],
  );
  return new Map(
    texts.flatMap((fieldId) => {
      const sampled = rows.find(({ index }) => index.startsWith(indexOf(fieldId)));
      return sampled ? [[fieldId, commonWords(textsOf(sampled))] as const] : [];
    }),
  );
}

/**
 * Returns texts with their shares of the rows that are not null. The texts in `others` share the remaining rows evenly.
 */
function textsOf({ absent, frequent, frequencies, others }: TextStatistics): SampledText[] {
  const frequentTexts = (frequent ?? []).map((text, index) => ({
    text,
    share: (frequencies?.[index] ?? 0) / (1 - absent),
  }));
  const otherShare = Math.max(0, 1 - frequentTexts.reduce((sum, { share }) => sum + share, 0));
  return [...frequentTexts, ...(others ?? []).map((text, _, all) => ({ text, share: otherShare / all.length }))];
}
