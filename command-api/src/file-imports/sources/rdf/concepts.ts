/** Collects the concepts of a SKOS vocabulary from its statements. */
import { Refusal } from '@rdm/contracts';
import type { Quad, Term } from 'n3';
import { joinValues, requireFewColumns } from '../source.ts';

const CHARACTERS_MAX = 128 * 1024 * 1024;
const RESOURCES_MAX = 2_000_000;
const SKOS = 'http://www.w3.org/2004/02/skos/core#';
/** The column for the second and later notations of a concept. */
const FURTHER_NOTATIONS = 'further notations';
const TYPE = 'http://www.w3.org/1999/02/22-rdf-syntax-ns#type';

/** A resource with one of these properties is a concept. */
const CONCEPT_PROPERTIES = new Set(['broader', 'narrower', 'topConceptOf']);

interface Resource {
  isConcept: boolean;
  /** Column, value, column, value, …: one array takes less memory than a map. */
  cells: string[];
}

export class Concepts {
  readonly #resources = new Map<string, Resource>();
  /** The columns of labels and definitions: one per language. */
  readonly #columns = { prefLabel: new Set<string>(), definition: new Set<string>() };
  #characters = 0;

  add({ subject, predicate, object }: Quad): void {
    if (predicate.value === TYPE) {
      if (object.value === `${SKOS}Concept`) this.#resourceOf(subject).isConcept = true;
      return;
    }
    if (!predicate.value.startsWith(SKOS)) return;
    const name = predicate.value.slice(SKOS.length);
    switch (name) {
      case 'notation':
        this.#addCell(subject, name, object.value);
        break;
      case 'prefLabel':
      case 'definition': {
        const language = 'language' in object ? object.language : '';
        const column = language === '' ? name : `${name} (${language})`;
        this.#columns[name].add(column);
        requireFewColumns('turtle', 1, this.#columns[name].size);
        this.#addCell(subject, column, object.value);
        break;
      }
      case 'broader':
        this.#addCell(subject, name, idOf(object));
        break;
      case 'narrower':
        this.#addCell(object, 'broader', idOf(subject));
        this.#resourceOf(object).isConcept = true;
        break;
    }
    if (CONCEPT_PROPERTIES.has(name)) this.#resourceOf(subject).isConcept = true;
  }

  /** Returns the number of concepts, the number of concepts without a notation, and the columns in order. */
  end(): { concepts: number; withoutNotation: number; columns: string[] } {
    const used = new Set(['iri']);
    let [concepts, withoutNotation] = [0, 0];
    for (const { isConcept, cells } of this.#resources.values()) {
      if (!isConcept) continue;
      concepts += 1;
      let notations = 0;
      for (let at = 0; at < cells.length; at += 2) {
        used.add(cells[at] as string);
        if (cells[at] === 'notation') notations += 1;
      }
      if (notations === 0) withoutNotation += 1;
      if (notations > 1) used.add(FURTHER_NOTATIONS);
    }
    used.add('notation');
    const columns = [
      'notation',
      ...withPlainFirst('prefLabel', this.#columns.prefLabel),
      ...withPlainFirst('definition', this.#columns.definition),
      ...['broader', 'iri', FURTHER_NOTATIONS],
    ].filter((column) => used.has(column));
    requireFewColumns('turtle', 1, columns.length);
    return { concepts, withoutNotation, columns };
  }

  /** Yields the cells of each concept by column. The concepts are in the order of their first statements. */
  *rows(): Generator<[string, unknown][]> {
    for (const [id, resource] of this.#resources) {
      if (!resource.isConcept) continue;
      const cells = new Map<string, Set<string>>([['iri', new Set([isBlank(id) ? '' : id])]]);
      for (let at = 0; at < resource.cells.length; at += 2) {
        const [column, value] = resource.cells.slice(at, at + 2) as [string, string];
        const values = cells.get(column) ?? new Set();
        cells.set(column, values.add(column === 'broader' ? this.#code(value) : value));
      }
      const [, ...others] = cells.get('notation') ?? [];
      cells.set('notation', new Set([this.#code(id)]));
      if (others.length > 0) cells.set(FURTHER_NOTATIONS, new Set(others));
      yield [...cells].map(([column, values]) => [column, joinValues(values)]);
    }
  }

  /**
   * Returns the first notation of a concept. For a concept without a notation, returns the end of its IRI, or "" if it
   * has no IRI. For other resources, returns the id.
   */
  #code(id: string): string {
    const resource = this.#resources.get(id);
    if (!resource?.isConcept) return id;
    const at = resource.cells.findIndex((cell, index) => index % 2 === 0 && cell === 'notation');
    if (at >= 0) return resource.cells[at + 1] as string;
    return isBlank(id) ? '' : endOf(id);
  }

  #resourceOf(term: Term): Resource {
    const id = idOf(term);
    const existing = this.#resources.get(id);
    if (existing) return existing;
    this.#count(id);
    const resource: Resource = { isConcept: false, cells: [] };
    this.#resources.set(id, resource);
    if (this.#resources.size > RESOURCES_MAX) {
      throw new Refusal('TOO_LARGE', `The file describes more than ${RESOURCES_MAX.toLocaleString('en')} resources.`);
    }
    return resource;
  }

  #addCell(subject: Term, column: string, value: string): void {
    this.#count(value);
    this.#resourceOf(subject).cells.push(column, value);
  }

  #count(text: string): void {
    this.#characters += text.length;
    if (this.#characters > CHARACTERS_MAX) {
      throw new Refusal('TOO_LARGE', 'The texts of the concepts have more than 128 million characters.');
    }
  }
}

/** The id of a blank node, which has no IRI, begins with "_:". */
const idOf = (term: Term): string => (term.termType === 'BlankNode' ? `_:${term.value}` : term.value);
const isBlank = (id: string): boolean => id.startsWith('_:');

/** Puts the column for texts without a language first. */
const withPlainFirst = (plain: string, columns: ReadonlySet<string>): string[] => [
  plain,
  ...[...columns].filter((column) => column !== plain),
];

/** The part of an IRI after its last "#", "/" or ":", decoded. */
function endOf(iri: string): string {
  const end = /[^#/:]*$/.exec(iri.replace(/[#/]+$/, ''))?.[0] ?? '';
  try {
    return decodeURIComponent(end) || iri;
  } catch {
    return end;
  }
}
