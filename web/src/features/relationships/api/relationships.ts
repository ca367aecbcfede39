/** Queries and commands for relationships: the list, one relationship, and its attributes. */
import type { Page } from '@rdm/contracts/lists/filter';
import type {
  AttributeView,
  Cardinality,
  ChangeRelationship,
  DefineAttribute,
  DefineRelationship,
  RelationshipCopied,
  RelationshipHistoryView,
  RelationshipView,
} from '@rdm/contracts/relationships/relationships';
import { type QueryClient, queryOptions } from '@tanstack/react-query';
import { read, readHistory, type Written, write } from '../../../lib/api/index.ts';
import type { ListParams } from '../../../lib/url-state/list-state.ts';

const PATH = '/api/relationships';

export const relationshipsKey = ['relationships'] as const;
export const relationshipKey = (id: number) => ['relationships', id] as const;

/** Existing or deleted ones. */
export const relationshipsQuery = (params: ListParams, deleted = false) =>
  queryOptions({
    queryKey: ['relationships', 'list', params, deleted],
    queryFn: () => read<Page<RelationshipView>>(PATH, { query: { ...params, deleted: deleted || undefined } }),
  });

export const relationshipQuery = (id: number) =>
  queryOptions({
    queryKey: [...relationshipKey(id), 'definition'],
    queryFn: () => read<RelationshipView>(`${PATH}/${id}`),
  });

/** Every version of the definition. */
export const relationshipHistoryQuery = (id: number) =>
  queryOptions({
    queryKey: [...relationshipKey(id), 'history'],
    queryFn: () => readHistory<RelationshipHistoryView>(`${PATH}/${id}`),
  });

/** The current relationship, never from a cache. */
export const currentRelationship = (id: number) => read<RelationshipView>(`${PATH}/${id}`, { fresh: true });

export interface WrittenRelationship extends Written {
  id: number;
}

export const defineRelationship = (relationship: DefineRelationship) =>
  write<WrittenRelationship>('POST', PATH, relationship);

export const changeRelationship = (id: number, revision: number, change: ChangeRelationship) =>
  write('PATCH', `${PATH}/${id}`, change, { revision });

/** The rules of a copy. */
interface CopyRules {
  cardinality: Cardinality;
  allowSelfRelationship: boolean;
}

/** What a copy with these rules would contain and omit. The name does not affect it. */
export const copyPreviewQuery = ({ id, name }: Pick<RelationshipView, 'id' | 'name'>, rules: CopyRules) =>
  queryOptions({
    queryKey: [...relationshipKey(id), 'copy', rules],
    queryFn: () => write<RelationshipCopied & Written>('POST', `${PATH}/${id}/copy`, { name, ...rules, preview: true }),
  });

export const copyRelationship = (id: number, copy: CopyRules & { name: string }) =>
  write<RelationshipCopied & Written>('POST', `${PATH}/${id}/copy`, copy);

/** An attribute in the form. */
export type AttributeEdit = DefineAttribute;

export const defineAttribute = (id: number, revision: number | undefined, attribute: AttributeEdit) =>
  write('POST', `${PATH}/${id}/attributes`, attribute, revision === undefined ? {} : { revision });

export const changeAttribute = (id: number, revision: number, attributeId: number, change: Partial<AttributeEdit>) =>
  write('PATCH', `${PATH}/${id}/attributes`, { id: attributeId, ...change }, { revision });

export const removeAttribute = (id: number, revision: number, { id: attributeId }: AttributeView) =>
  write('DELETE', `${PATH}/${id}/attributes`, { id: attributeId }, { revision });

interface ReviewedHeader extends Written {
  commandId: string;
  /** Whether a value was ever approved: then the deletion is reviewed. */
  deletionRequested: boolean;
  deleted: boolean;
}

/** The verbs for a relationship itself: only its deletion is reviewed. */
export type HeaderVerb = 'delete' | 'approve' | 'reject' | 'recall' | 'restore';

export function reviewHeader(
  { id, revision }: Pick<RelationshipView, 'id' | 'revision'>,
  verb: HeaderVerb,
  comment: string | undefined,
): Promise<ReviewedHeader> {
  return verb === 'delete'
    ? write('DELETE', `${PATH}/${id}`, { comment }, { revision })
    : write('POST', `${PATH}/${id}/${verb}`, { comment }, { revision });
}

/** Reloads all pages about relationships after a bulk change. */
export const reloadRelationships = (queries: QueryClient) => queries.invalidateQueries({ queryKey: relationshipsKey });

/** Reloads the pages of one relationship, the list and the list of all values. */
export const reloadRelationship = (queries: QueryClient, id: number) =>
  Promise.all([
    queries.invalidateQueries({ queryKey: relationshipKey(id) }),
    queries.invalidateQueries({ queryKey: ['relationships', 'list'] }),
    queries.invalidateQueries({ queryKey: ['relationships', 'values'] }),
  ]);
