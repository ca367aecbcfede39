/** Queries and commands for relationships: one relationship, its copies, and its attributes. */
import type {
  AttributeView,
  Cardinality,
  DefineAttribute,
  DefineRelationship,
  RelationshipCopied,
  RelationshipView,
} from '@rdm/contracts/relationships/relationships';
import { type QueryClient, queryOptions } from '@tanstack/react-query';
import { type Written, write } from '../../../lib/api/index.ts';
import { definitionKey, definitionQuery, definitionsKey } from '../../../lib/definitions/index.ts';

const PATH = '/api/relationships';

export const relationshipsKey = ['relationships'] as const;
export const relationshipKey = (id: number) => definitionKey('relationship', id);

export const relationshipQuery = (id: number) => definitionQuery<RelationshipView>('relationship', id);

export const defineRelationship = (relationship: DefineRelationship) =>
  write<Written & { id: number }>('POST', PATH, relationship);

/** The rules of a copy, which may differ from the rules of the original. */
interface CopyRules {
  cardinality: Cardinality;
  allowSelfRelationship: boolean;
}

/** The preview of a copy with these rules. The name does not affect the preview. */
export const copyPreviewQuery = ({ id, name }: Pick<RelationshipView, 'id' | 'name'>, rules: CopyRules) =>
  queryOptions({
    queryKey: [...relationshipKey(id), 'copy', rules],
    queryFn: () => write<RelationshipCopied & Written>('POST', `${PATH}/${id}/copy`, { name, ...rules, preview: true }),
  });

export const copyRelationship = (id: number, copy: CopyRules & { name: string }) =>
  write<RelationshipCopied & Written>('POST', `${PATH}/${id}/copy`, copy);

/** The fields of the attribute form. */
export type AttributeEdit = DefineAttribute;

export const defineAttribute = (id: number, revision: number | undefined, attribute: AttributeEdit) =>
  write('POST', `${PATH}/${id}/attributes`, attribute, revision === undefined ? {} : { revision });

export const changeAttribute = (id: number, revision: number, attributeId: number, change: Partial<AttributeEdit>) =>
  write('PATCH', `${PATH}/${id}/attributes`, { id: attributeId, ...change }, { revision });

export const removeAttribute = (id: number, revision: number, { id: attributeId }: AttributeView) =>
  write('DELETE', `${PATH}/${id}/attributes`, { id: attributeId }, { revision });

/** Reloads all pages about relationships after a bulk change. */
export const reloadRelationships = (queries: QueryClient) => queries.invalidateQueries({ queryKey: relationshipsKey });

/** Reloads the pages of one relationship, the list of relationships and the list of all values. */
export const reloadRelationship = (queries: QueryClient, id: number) =>
  Promise.all([
    queries.invalidateQueries({ queryKey: relationshipKey(id) }),
    queries.invalidateQueries({ queryKey: definitionsKey('relationship') }),
    queries.invalidateQueries({ queryKey: ['relationships', 'values'] }),
  ]);
