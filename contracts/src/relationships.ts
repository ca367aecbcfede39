/** Relationships between data sets: events, state and payloads of their definitions. */
import { z } from 'zod';
import { type EventsOf, event } from './event.ts';
import { Id, Name } from './fields.ts';
import { WORDS } from './refusal.ts';

export const CARDINALITIES = ['ONE_TO_ONE', 'ONE_TO_MANY', 'MANY_TO_ONE', 'MANY_TO_MANY'] as const;

const Definition = z.object({
  id: Id,
  name: z.string(),
  relationshipType: z.string(),
  cardinality: z.enum(CARDINALITIES),
  sourceDataSetId: Id,
  targetDataSetId: Id,
  sourceFieldId: Id,
  targetFieldId: Id,
  allowSelfRelationship: z.boolean(),
});

export const relationshipEvents = {
  RelationshipDefined: event(Definition),
  RelationshipDetailsChanged: event(z.object({ name: z.string().optional(), relationshipType: z.string().optional() })),
  RelationshipDeleted: event(z.object({})),
  RelationshipAbandoned: event(z.object({ id: Id, sourceDataSetId: Id, targetDataSetId: Id })),
};
export type RelationshipEvent = EventsOf<typeof relationshipEvents>;

export type Relationship = z.infer<typeof Definition> & { deleted: boolean; revision: number };

/** Folds one event into a relationship's definition. */
export function evolveRelationship(
  state: Relationship | undefined,
  event: RelationshipEvent,
): Relationship | undefined {
  if (event.type === 'RelationshipDefined') return { ...event.data, deleted: false, revision: 1 };
  if (event.type === 'RelationshipAbandoned') {
    return {
      ...event.data,
      name: '',
      relationshipType: '',
      cardinality: 'MANY_TO_MANY',
      sourceFieldId: 0,
      targetFieldId: 0,
      allowSelfRelationship: false,
      deleted: true,
      revision: 1,
    };
  }
  if (state === undefined) return undefined;
  const revised = { ...state, revision: state.revision + 1 };
  switch (event.type) {
    case 'RelationshipDetailsChanged':
      return {
        ...revised,
        name: event.data.name ?? state.name,
        relationshipType: event.data.relationshipType ?? state.relationshipType,
      };
    case 'RelationshipDeleted':
      return { ...revised, deleted: true };
  }
}

/** POST /api/relationships. Fields are names in the two data sets' types. */
export const DefineRelationship = z.object({
  name: Name(WORDS.relationshipNameRequired),
  relationshipType: z.string().trim().max(200).default(''),
  cardinality: z.enum(CARDINALITIES).default('MANY_TO_MANY'),
  sourceDataSetId: Id,
  targetDataSetId: Id,
  sourceField: Name(WORDS.nameRequired),
  targetField: Name(WORDS.nameRequired),
  allowSelfRelationship: z.boolean().default(false),
});
export type DefineRelationship = z.infer<typeof DefineRelationship>;

/** One row of GET /api/relationships. */
export interface RelationshipView {
  id: number;
  name: string;
  relationshipType: string;
  cardinality: (typeof CARDINALITIES)[number];
  sourceDataSetId: number;
  targetDataSetId: number;
  sourceName: string;
  targetName: string;
  sourceField: string;
  targetField: string;
  allowSelfRelationship: boolean;
  level: 'READ' | 'WRITE' | 'APPROVER' | 'ADMIN';
  revision: number;
  createdAt: string;
  updatedAt: string;
}
