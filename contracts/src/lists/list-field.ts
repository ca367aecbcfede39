/** The fields of a list: the server filters and sorts by them, and the pages show them as columns and filters. */
import type { FilterDataType } from './filter-operators.ts';

export interface ListField {
  dataType: FilterDataType;
  /** The label in answers of the API. */
  label: string;
  /** The label on pages, in headers of columns and in filters. */
  pageLabel: string;
  /** Requests may name the field; pages do not offer it in filters. */
  isApiOnly?: boolean;
}

/** By name: requests name the fields in `sort` and `filter`. */
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
