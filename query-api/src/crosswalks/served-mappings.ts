/** The served mappings of one crosswalk in memory, by source value and by target value, with their size in bytes. */

/** The proof of a served mapping: its approval, or the event that restored the served value. */
export interface ApprovalProof {
  approvedBy: number | null;
  approvedAt: string | null;
  approvedEventId: string;
  approvedSeq: number;
}

/** The columns of crosswalk_mapping_values that a translation needs. `targetValue` is null if the row is not served. */
export interface MappingState extends ApprovalProof {
  mappingId: number;
  sourceValue: string;
  targetValue: string | null;
  confidence: number;
}

interface Mapping {
  mappingId: number;
  sourceValue: string;
  targetValue: string;
  confidence: number;
  proof: ApprovalProof;
  /** The next mapping of the same source value, in the order of `compareMappings`. */
  next: Mapping | undefined;
}

/** Estimated bytes in V8: of a mapping with its map entry, of a proof, and of a text without its characters. */
const MAPPING_BYTES = 160;
const PROOF_BYTES = 200;
const TEXT_BYTES = 24;
const bytesOf = (text: string): number => TEXT_BYTES + 2 * text.length;
const mappingBytes = ({ sourceValue, targetValue }: Mapping): number =>
  MAPPING_BYTES + bytesOf(sourceValue) + bytesOf(targetValue);

/** Maximum size of the cached answers in bytes. The cache is cleared when it becomes larger. */
const ANSWERS_BYTES_MAX = 64 * 1024 * 1024;

export class ServedMappings {
  /** Estimated size of the mappings in bytes, without the cached answers. */
  bytes = 0;
  readonly #bySource = new Map<string, Mapping>();
  #byTarget: Map<string, Mapping[]> | undefined;
  readonly #proofs = new Map<string, ApprovalProof>();
  readonly #answers = new Map<string, string>();
  #answersBytes = 0;

  /** Adds or replaces the mapping of a row; removes the mapping if the row is not served. */
  put(row: MappingState): void {
    const { sourceValue } = row;
    this.#answers.delete(sourceValue);
    const others = this.#unlink(row);
    const { targetValue } = row;
    if (targetValue === null) {
      if (others) this.#bySource.set(sourceValue, others);
      else this.#bySource.delete(sourceValue);
      return;
    }
    const { mappingId, confidence } = row;
    const mapping: Mapping = { mappingId, sourceValue, targetValue, confidence, proof: this.#proof(row), next: others };
    this.#bySource.set(sourceValue, sortLinked(mapping));
    this.bytes += mappingBytes(mapping);
    if (!this.#byTarget) return;
    const list = this.#byTarget.get(targetValue);
    if (list) list.push(mapping);
    else this.#byTarget.set(targetValue, [mapping]);
  }

  /** Unlinks the mapping of the row, and returns the first remaining mapping of the source value. */
  #unlink({ sourceValue, mappingId }: MappingState): Mapping | undefined {
    let first = this.#bySource.get(sourceValue);
    let previous: Mapping | undefined;
    for (let each = first; each; each = each.next) {
      if (each.mappingId !== mappingId) {
        previous = each;
        continue;
      }
      if (previous) previous.next = each.next;
      else first = each.next;
      this.bytes -= mappingBytes(each);
      const list = this.#byTarget?.get(each.targetValue);
      if (list) list.splice(list.indexOf(each), 1);
      break;
    }
    return first;
  }

  /** Returns the proof of a mapping. Mappings that one event approved, possibly thousands, share one object. */
  #proof({ approvedBy, approvedAt, approvedEventId, approvedSeq }: MappingState): ApprovalProof {
    const key = `${approvedEventId} ${approvedBy}`;
    let proof = this.#proofs.get(key);
    if (!proof) {
      proof = { approvedBy, approvedAt, approvedEventId, approvedSeq };
      this.#proofs.set(key, proof);
      this.bytes += PROOF_BYTES;
    }
    return proof;
  }

  /** Returns the targets of a source value as an `openAnswer`, highest confidence first; undefined if none exist. */
  targetsOf(sourceValue: string): string | undefined {
    const cached = this.#answers.get(sourceValue);
    if (cached !== undefined) return cached;
    const first = this.#bySource.get(sourceValue);
    if (!first) return undefined;
    const texts: string[] = [];
    for (let each: Mapping | undefined = first; each; each = each.next) texts.push(resultJson(each.targetValue, each));
    const answer = openAnswer(sourceValue, texts);
    this.#answersBytes += bytesOf(answer) + MAPPING_BYTES;
    if (this.#answersBytes > ANSWERS_BYTES_MAX) {
      this.#answers.clear();
      this.#answersBytes = bytesOf(answer) + MAPPING_BYTES;
    }
    this.#answers.set(sourceValue, answer);
    return answer;
  }

  /** Returns the sources of a target value as an `openAnswer`, highest confidence first; undefined if none exist. */
  sourcesOf(targetValue: string): string | undefined {
    const list = this.#targets().get(targetValue);
    if (!list || list.length === 0) return undefined;
    const sorted = list.toSorted((a, b) => compareMappings(a, b, a.sourceValue, b.sourceValue));
    return openAnswer(
      targetValue,
      sorted.map((each) => resultJson(each.sourceValue, each)),
    );
  }

  /** The mappings by target value; built at the first reverse translation. */
  #targets(): Map<string, Mapping[]> {
    if (this.#byTarget) return this.#byTarget;
    const targets = new Map<string, Mapping[]>();
    for (const first of this.#bySource.values()) {
      for (let each: Mapping | undefined = first; each; each = each.next) {
        const list = targets.get(each.targetValue);
        if (list) list.push(each);
        else targets.set(each.targetValue, [each]);
      }
    }
    this.bytes += targets.size * MAPPING_BYTES;
    this.#byTarget = targets;
    return targets;
  }
}

const openingOf = (value: string): string => `{"value":${JSON.stringify(value)}`;

/** Returns `{"value":…,"results":[…]`: a JSON object without its closing brace, so that properties can follow. */
export const openAnswer = (value: string, results: readonly string[]): string =>
  // join() makes one flat string. V8 keeps the parts of a template string and visits them each time the text is copied.
  [openingOf(value), ',"results":[', results.join(','), ']'].join('');

/** Replaces the normalised value in an open answer by the value as it was requested. */
export const withSpelling = (requested: string, value: string, open: string): string =>
  requested === value ? open : `${openingOf(requested)}${open.slice(openingOf(value).length)}`;

/** Compares by falling confidence, then by value in byte order as in PostgreSQL's "C" collation, then by id. */
const compareMappings = (a: Mapping, b: Mapping, valueA: string, valueB: string): number =>
  b.confidence - a.confidence || Buffer.compare(Buffer.from(valueA), Buffer.from(valueB)) || a.mappingId - b.mappingId;

/** Sorts the mappings of one source value, which are linked by `next`, and returns the first. */
function sortLinked(mapping: Mapping): Mapping {
  if (!mapping.next) return mapping;
  const all: Mapping[] = [];
  for (let each: Mapping | undefined = mapping; each; each = each.next) all.push(each);
  all.sort((a, b) => compareMappings(a, b, a.targetValue, b.targetValue));
  all.forEach((each, index) => {
    each.next = all[index + 1];
  });
  return all[0] as Mapping;
}

/** One result of an answer, as JSON. In reverse direction, `targetValue` is the source value of the mapping. */
function resultJson(value: string, { mappingId, confidence, proof }: Mapping): string {
  return JSON.stringify({ targetValue: value, mappingId, confidence, ...proof });
}
