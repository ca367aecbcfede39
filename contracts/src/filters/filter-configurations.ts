/**
 * Filter configurations restrict the conditions that a list accepts for a field, or switch the filter of the field off.
 * A field without a configuration accepts all conditions.
 */
import { z } from 'zod';
import { defineView } from '../define-view.ts';
import { type EventsOf, event } from '../events/event.ts';
import { FILTER_DATA_TYPES, FILTER_OPERATORS, Filter, FilterField, Total } from '../lists/filter.ts';
import { ListEntity } from '../lists/lists.ts';
import { atMost, Description, Id } from '../text/fields.ts';

/** Restrictions of values beyond their type; null for no restriction. */
export const FilterValidation = z.object({
  /** The minimum and maximum number of characters of a text value. */
  minLength: z.number().int().min(0).max(10_000).nullable().default(null),
  maxLength: z.number().int().min(1).max(10_000).nullable().default(null),
  /** The minimum and maximum of a number. */
  min: z.number().nullable().default(null),
  max: z.number().nullable().default(null),
});
export type FilterValidation = z.infer<typeof FilterValidation>;

const Operator = z.enum(FILTER_OPERATORS, { error: `An operator is one of ${FILTER_OPERATORS.join(', ')}` });

const Settings = z.object({
  dataType: z.enum(FILTER_DATA_TYPES),
  allowedOperators: z.array(Operator).max(FILTER_OPERATORS.length),
  /** The operator of a new condition. */
  defaultOperator: Operator.nullable(),
  validation: FilterValidation.nullable(),
  displayName: z.string(),
  description: z.string(),
  /** Whether the list can be filtered by this field. */
  isActive: z.boolean(),
});

export const filterConfigurationEvents = {
  FilterConfigurationCreated: event(
    Settings.extend({
      id: Id,
      entityType: z.string(),
      fieldName: z.string(),
      fieldPath: z.string(),
      /** The id of a data set's field, whose name can change; null for other fields. */
      fieldId: Id.nullable(),
    }),
  ),
  FilterConfigurationChanged: event(Settings.partial()),
  FilterConfigurationDeleted: event(z.object({})),
};
export type FilterConfigurationEvent = EventsOf<typeof filterConfigurationEvents>;

export type FilterConfiguration = Extract<FilterConfigurationEvent, { type: 'FilterConfigurationCreated' }>['data'] & {
  deleted: boolean;
  revision: number;
};

export function evolveFilterConfiguration(
  state: FilterConfiguration | undefined,
  event: FilterConfigurationEvent,
): FilterConfiguration | undefined {
  if (event.type === 'FilterConfigurationCreated') return { ...event.data, deleted: false, revision: 1 };
  if (state === undefined) return undefined;
  const revised = { ...state, revision: state.revision + 1 };
  if (event.type === 'FilterConfigurationDeleted') return { ...revised, deleted: true };
  const changes = Object.entries(event.data).filter(([, value]) => value !== undefined);
  return { ...revised, ...(Object.fromEntries(changes) as Partial<FilterConfiguration>) };
}

const Changeable = {
  allowedOperators: Settings.shape.allowedOperators.optional(),
  defaultOperator: Operator.nullable().optional(),
  validation: FilterValidation.nullable().optional(),
  displayName: z.string().trim().max(200).optional(),
  description: Description.optional(),
  isActive: z.boolean().optional(),
};

/** The filter fields that every data set has in addition to the fields of its type. */
export const INSTANCE_FIELDS: readonly string[] = 'id revision key createdAt updatedAt updatedBy jobId'.split(' ');

/** POST /api/filter-configurations. Properties that are left out restrict nothing. */
export const CreateFilterConfiguration = z.object({
  entityType: ListEntity,
  fieldName: z
    .string({ error: 'Field name is required' })
    .trim()
    .min(1, 'Field name is required')
    .max(500, atMost(500)),
  dataType: Settings.shape.dataType,
  ...Changeable,
});
export type CreateFilterConfiguration = z.infer<typeof CreateFilterConfiguration>;

/** PATCH /api/filter-configurations/{id}. */
export const ChangeFilterConfiguration = z.object(Changeable);
export type ChangeFilterConfiguration = z.infer<typeof ChangeFilterConfiguration>;

/** GET /api/filter-configurations. */
export const FilterConfigurationsQuery = z.object({
  entity: ListEntity.optional().describe('Returns only the configurations of this list.'),
});

export const FilterConfigurationView = defineView(() =>
  Settings.extend({
    id: z.number(),
    entityType: z.string(),
    fieldName: z.string().describe('The current name of the field.'),
    fieldPath: z.string(),
    revision: z.number(),
    createdAt: z.string(),
    updatedAt: z.string(),
  }),
);
export type FilterConfigurationView = z.infer<typeof FilterConfigurationView>;

/** POST /api/filter-test. */
export const FilterTest = z.object({ entity: ListEntity, filter: Filter.nullable().default(null) });
export type FilterTest = z.infer<typeof FilterTest>;

/** The maximum number of rows in the result of a filter test. */
export const FILTER_TEST_ROWS = 50;

export const FilterTestView = defineView(() =>
  z.object({
    fields: z.array(FilterField).describe('The fields that the list offers under its configurations.'),
    items: z.array(z.record(z.string(), z.unknown())).describe('The first rows, as the list shows them.'),
    total: Total,
    milliseconds: z.number().describe('The time that the query took.'),
    cost: z
      .number()
      .describe(
        "The PostgreSQL planner's cost estimate for the most expensive statement. The unit is one sequential page read.",
      ),
  }),
);
export type FilterTestView = z.infer<typeof FilterTestView>;
