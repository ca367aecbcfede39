/** Collects the concepts of a SKOS vocabulary from its statements. */
import { Refusal } from '@rdm/contracts';
import type { Quad, Term } from 'n3';
import { joinedValues, requireFewColumns } from '../source.ts';

const CHARACTERS_MAX = 128 * 1024 * 1024;
const SUBJECTS_MAX = 2_000_000;
const SKOS = 'http://www.w3.org/2004/02/skos/core#';
const TYPE = 'http://www.w3.org/1999/02/22-rdf-syntax-ns#type';

/** Statements of which a resource that is described is a concept. */
const OF_CONCEPTS = new Set(['broader', 'narrower', 'topConceptOf']);

interface Resource {
  isConcept: boolean;
  notations: Set<string>;
  /** Texts by column. */
  texts: Map<string, Set<string>>;
  broader: Set<string>;
}

export interface ConceptTable {
  rows: Map<string, unknown>[];
  columns: string[];
  /** Concepts that the end of their IRI stands for. */
  withoutNotation: number;
}

export class Concepts {
  readonly #resources = new Map<string, Resource>();
  readonly #languages = { prefLabel: new Set<string>(), definition: new Set<string>() };
  #characters = 0;

  add({ subject, predicate, object }: Quad): void {
    if (predicate.value === TYPE) {
      if (object.value === `${SKOS}Concept`) this.#at(subject).isConcept = true;
      return;
    }
    if (!predicate.value.startsWith(SKOS)) return;
    const name = predicate.value.slice(SKOS.length);
    switch (name) {
      case 'notation':
        this.#keep(this.#at(subject).notations, object.value);
        break;
      case 'prefLabel':
      case 'definition': {
        const language = 'language' in object ? object.language : '';
        const column = language === '' ? name : `${name} (${language})`;
        this.#languages[name].add(column);
        const { texts } = this.#at(subject);
        const values = texts.get(column) ?? new Set();
        texts.set(column, values);
        this.#keep(values, object.value);
        break;
      }
      case 'broader':
        this.#keep(this.#at(subject).broader, idOf(object));
        break;
      case 'narrower':
        this.#keep(this.#at(object).broader, idOf(subject));
        this.#at(object).isConcept = true;
        break;
    }
    if (OF_CONCEPTS.has(name)) this.#at(subject).isConcept = true;
  }

  /** A row of cells by column for each concept, in the order of the file. */
  get table(): ConceptTable {
    const rows: Map<string, unknown>[] = [];
    const used = new Set<string>();
    let withoutNotation = 0;
    for (const [id, { isConcept, notations, texts, broader }] of this.#resources) {
      if (!isConcept) continue;
      if (notations.size === 0) withoutNotation += 1;
      const row = new Map<string, unknown>([['notation', this.#code(id)]]);
      for (const [column, values] of texts) row.set(column, joinedValues(values));
      if (broader.size > 0) row.set('broader', joinedValues(new Set([...broader].map((each) => this.#code(each)))));
      row.set('iri', isBlank(id) ? '' : id);
      const [, ...others] = notations;
      if (others.length > 0) row.set('further notations', joinedValues(new Set(others)));
      for (const column of row.keys()) used.add(column);
      rows.push(row);
    }
    const columns = [
      'notation',
      ...withPlainFirst('prefLabel', this.#languages.prefLabel),
      ...withPlainFirst('definition', this.#languages.definition),
      ...['broader', 'iri', 'further notations'],
    ].filter((column) => used.has(column));
    requireFewColumns('turtle', 1, columns.length);
    return { rows, columns, withoutNotation };
  }

  /** The notation of a concept of the file, else the end of its IRI; the whole IRI of another concept. */
  #code(id: string): string {
    const resource = this.#resources.get(id);
    if (!resource?.isConcept) return id;
    const [notation] = resource.notations;
    return notation ?? (isBlank(id) ? '' : endOf(id));
  }

  #at(term: Term): Resource {
    const id = idOf(term);
    const known = this.#resources.get(id);
    if (known) return known;
    this.#count(id);
    const resource: Resource = { isConcept: false, notations: new Set(), texts: new Map(), broader: new Set() };
    this.#resources.set(id, resource);
    if (this.#resources.size > SUBJECTS_MAX) {
      throw new Refusal('TOO_LARGE', `The file describes more than ${SUBJECTS_MAX.toLocaleString('en')} resources.`);
    }
    return resource;
  }

  #keep(values: Set<string>, value: string): void {
    if (values.has(value)) return;
    this.#count(value);
    values.add(value);
  }

  #count(text: string): void {
    this.#characters += text.length;
    if (this.#characters > CHARACTERS_MAX) {
      throw new Refusal('TOO_LARGE', 'The texts of the concepts have more than 128 million characters.');
    }
  }
}

/** Nodes without an IRI are told apart from IRIs by the beginning of their id. */
const idOf = (term: Term): string => (term.termType === 'BlankNode' ? `_:${term.value}` : term.value);
const isBlank = (id: string): boolean => id.startsWith('_:');

/** Texts without a language come first. */
const withPlainFirst = (plain: string, columns: ReadonlySet<string>): string[] => [
  plain,
  ...[...columns].filter((column) => column !== plain),
];

/** The part after the last "#", "/" or ":", decoded. */
function endOf(iri: string): string {
  const end = /[^#/:]*$/.exec(iri.replace(/[#/]+$/, ''))?.[0] ?? '';
  try {
    return decodeURIComponent(end) || iri;
  } catch {
    return end;
  }
}
