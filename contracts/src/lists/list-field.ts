/** Defines the fields of a list. The server filters and sorts by them, and pages show them as columns and filters. */
import type { FilterDataType } from './filter-operators.ts';

export interface ListField {
  dataType: FilterDataType;
  /** The label in responses of the API. */
  label: string;
  /** The label on pages, in headers of columns and in filters. */
  pageLabel: string;
  /** Set if requests can filter by the field, but pages do not offer it. */
  isApiOnly?: boolean;
}

/** Fields by the names that requests use in `sort` and `filter`. */
export type ListFields = Readonly<Record<string, ListField>>;

const fieldOf =
  (dataType: FilterDataType) =>
  (label: string, pageLabel = label): ListField => ({ dataType, label, pageLabel });

export const string = fieldOf('string');
export const number = fieldOf('number');
export const boolean = fieldOf('boolean');
export const datetime = fieldOf('datetime');
export const json = fieldOf('json');
export const array = fieldOf('array');
export const apiOnly = (field: ListField): ListField => ({ ...field, isApiOnly: true });
