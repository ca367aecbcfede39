/** Reads the code lists of FHIR, which are CodeSystems and ValueSets, into one record per concept. */
import { type ReadOptions, Refusal } from '@rdm/contracts';
import { decodedPieces } from '../decoded-pieces.ts';
import { evidentEncoding } from '../encoding-detection.ts';
import {
  type FileBytes,
  joinValues,
  type RecordBatch,
  requireFewColumns,
  requireFewRecords,
  type Source,
  type SourceRecord,
} from '../source.ts';
import { JsonColumns } from './json-records.ts';
import { jsonRefusal } from './json-splitter.ts';
import { type ListedObject, NestedSplitter } from './nested-splitter.ts';

const BYTES_MAX = 64 * 1024 * 1024;

/** The resources that list codes, and ConceptMap, which maps codes and is refused with a message of its own. */
export const CODE_LISTS: ReadonlySet<string> = new Set(['CodeSystem', 'ValueSet', 'ConceptMap']);

const CONCEPTS = 'concept';
const EXPANSION = 'expansion.contains';
const INCLUDES = 'compose.include';
const INCLUDED = 'compose.include.concept';
const LISTS = new Set([CONCEPTS, EXPANSION, INCLUDES, INCLUDED]);

/** The names of the first columns, in this order. */
const FIRST_COLUMNS = ['system', 'code', 'display', 'definition', 'parent'];

type Members = Readonly<Record<string, unknown>>;

const isMembers = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const membersOf = (value: unknown): Members => (isMembers(value) ? value : {});
const listOf = (value: unknown): Members[] => (Array.isArray(value) ? value.filter(isMembers) : []);

/** Opens a FHIR resource. Reads the file once to find the list with the codes and the columns of the codes. */
export async function openFhir(file: FileBytes, options: ReadOptions): Promise<Source> {
  if (file.size > BYTES_MAX) throw new Refusal('TOO_LARGE', 'A FHIR file may have at most 64 MiB.');
  const encoding = options.encoding ?? evidentEncoding(await file.range(0, 1024)) ?? 'utf-8';
  const { list, propertyNames, keyColumns, notes } = await survey(file, encoding);
  return {
    format: 'fhir',
    read: { ...options, encoding, headerRow: 0 },
    sheets: [],
    questions: [],
    notes,
    isTyped: true,
    propertyNames,
    ...(keyColumns ? { keyColumns } : {}),
    async *records(): AsyncGenerator<RecordBatch> {
      const reader = new ConceptReader(list, new JsonColumns(propertyNames));
      const splitter = new NestedSplitter(LISTS);
      for await (const { text, bytes } of decodedPieces(file, encoding)) {
        yield { records: splitter.push(text).flatMap((each) => reader.read(each) ?? []), bytes };
      }
    },
  };
}

interface Survey {
  list: string;
  propertyNames: string[];
  keyColumns: string[] | undefined;
  notes: string[];
}

async function survey(file: FileBytes, encoding: string): Promise<Survey> {
  const readers = new Map([CONCEPTS, EXPANSION, INCLUDED].map((list) => [list, new ConceptReader(list)]));
  let includeCount = 0;
  const splitter = new NestedSplitter(LISTS);
  for await (const { text } of decodedPieces(file, encoding)) {
    for (const object of splitter.push(text)) {
      if (object.list === INCLUDES) includeCount += 1;
      for (const reader of readers.values()) reader.read(object);
    }
  }
  const document = documentOf(splitter.end());
  const readerWithRecords = (list: string) => {
    const reader = readers.get(list) as ConceptReader;
    return reader.count > 0 ? reader : undefined;
  };
  const columnsOf = (reader: ConceptReader) => ({
    propertyNames: [
      ...FIRST_COLUMNS.filter((key) => reader.columns.keys.includes(key)),
      ...reader.columns.keys.filter((key) => !FIRST_COLUMNS.includes(key)),
    ],
    keyColumns: reader.systems.size > 1 ? ['system', 'code'] : undefined,
  });
  switch (document['resourceType']) {
    case 'CodeSystem': {
      const concepts = readerWithRecords(CONCEPTS);
      if (!concepts) throw new Refusal('INVALID', 'This CodeSystem lists no concepts: export it with its concepts.');
      const isPart = ['example', 'fragment', 'supplement'].includes(String(document['content']));
      const notes = isPart
        ? [`The CodeSystem is marked "${document['content']}": it lists a part of its concepts.`]
        : [];
      return { list: CONCEPTS, ...columnsOf(concepts), notes };
    }
    case 'ValueSet': {
      const expanded = readerWithRecords(EXPANSION);
      if (expanded) {
        const total = membersOf(document['expansion'])['total'];
        const isPart = typeof total === 'number' && total > expanded.count;
        const notes = isPart
          ? [`The expansion lists ${expanded.count} of ${total} codes: expand the ValueSet as a whole to import all.`]
          : [];
        return { list: EXPANSION, ...columnsOf(expanded), notes };
      }
      const included = readerWithRecords(INCLUDED);
      if (!included) throw new Refusal('INVALID', 'This ValueSet lists no codes: expand it first.');
      const hasRules =
        included.includesWithConcepts < includeCount || listOf(membersOf(document['compose'])['exclude']).length > 0;
      const notes = hasRules
        ? ['The ValueSet also includes or excludes codes that it does not list: expand it to import exactly its codes.']
        : [];
      return { list: INCLUDED, ...columnsOf(included), notes };
    }
    case 'ConceptMap':
      throw new Refusal(
        'UNSUPPORTED_MEDIA',
        'A FHIR ConceptMap contains mappings, not rows: open the crosswalk and import the file on its page Mappings.',
      );
    default:
      throw new Refusal(
        'INVALID',
        'This file contains a FHIR code list, but is no CodeSystem or ValueSet itself: export the CodeSystem or ValueSet alone.',
      );
  }
}

function documentOf({ text }: ListedObject): Members {
  try {
    return membersOf(JSON.parse(text));
  } catch {
    throw jsonRefusal('a value outside its lists of codes cannot be read');
  }
}

/** Reads the objects of one list as records, in their order. */
class ConceptReader {
  readonly #list: string;
  readonly columns: JsonColumns;
  /** By object, the values that nested objects inherit. An include has a system and no code. */
  readonly #outer = new WeakMap<ListedObject, { code: unknown; system: unknown }>();
  readonly #includes = new Set<ListedObject>();
  /** The systems of the codes that were read; empty for a CodeSystem, whose concepts have no system. */
  readonly systems = new Set<unknown>();
  /** The number of records that were read. */
  count = 0;

  constructor(list: string, columns = new JsonColumns()) {
    this.#list = list;
    this.columns = columns;
  }

  /** The number of includes that list concepts. */
  get includesWithConcepts(): number {
    return this.#includes.size;
  }

  /** Returns the record of a concept; undefined for an object that is no concept. */
  read(object: ListedObject): SourceRecord | undefined {
    if (object.list === INCLUDES && this.#list === INCLUDED)
      this.#outer.set(object, { code: undefined, ...systemOf(object) });
    if (object.list !== this.#list) return undefined;
    let isHeading = false;
    const element = { ...object, line: this.count + 1 };
    const record = this.columns.record(element, (value) => {
      const cells = this.#cells(object, value as Members);
      isHeading = this.#list === EXPANSION && !cells.has('code');
      return isHeading ? [] : [...cells].map(([key, values]): [string, unknown] => [key, joinValues(values)]);
    });
    if (isHeading) return undefined;
    this.count += 1;
    requireFewRecords(this.count);
    requireFewColumns('fhir', this.count, this.columns.keys.length);
    return record;
  }

  #cells(object: ListedObject, concept: Members): Map<string, Set<unknown>> {
    const outer = object.parent && this.#outer.get(object.parent);
    if (object.parent?.list === INCLUDES) this.#includes.add(object.parent);
    const system = concept['system'] ?? outer?.system;
    const code = concept['code'];
    this.#outer.set(object, { code: code ?? outer?.code, system });
    const cells = new Map<string, Set<unknown>>();
    const add = (key: string, value: unknown) => {
      if (value === undefined || value === null) return;
      const values = cells.get(key);
      if (values) values.add(value);
      else cells.set(key, new Set([value]));
    };
    if (this.#list !== CONCEPTS) {
      add('system', system);
      if (code !== undefined) this.systems.add(system);
    }
    add('code', code);
    add('display', concept['display']);
    add('definition', concept['definition']);
    add('parent', outer?.code);
    for (const name of ['abstract', 'inactive', 'version']) add(name, concept[name]);
    for (const { language, use, value } of listOf(concept['designation'])) {
      const { code: useCode, display } = membersOf(use);
      const detail = language ?? useCode ?? display;
      add(detail === undefined ? 'designation' : `display (${detail})`, value);
    }
    for (const property of listOf(concept['property'])) {
      const name = String(property['code'] ?? 'property');
      // A property must not mix with a first column of the same name; only `parent` means the same in both.
      const isTaken = FIRST_COLUMNS.includes(name) && name !== 'parent';
      add(isTaken ? `${name} (property)` : name, propertyValue(property));
    }
    return cells;
  }
}

function systemOf({ text }: ListedObject): { system: unknown } {
  try {
    return { system: membersOf(JSON.parse(text))['system'] };
  } catch {
    throw jsonRefusal('an include of the ValueSet cannot be read');
  }
}

/** Returns the value of a property: the member whose name begins with "value"; for a Coding, the code of the Coding. */
function propertyValue(property: Members): unknown {
  const value = Object.entries(property).find(([key]) => key.startsWith('value'))?.[1];
  return isMembers(value) ? (value['code'] ?? value) : value;
}
