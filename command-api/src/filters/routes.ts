/** Routes of saved filters and filter configurations. */
import {
  ChangeFilterConfiguration,
  ChangeSavedFilter,
  CreateFilterConfiguration,
  CreateSavedFilter,
  Refusal,
  type SavedFilter,
  streams,
} from '@rdm/contracts';
import type { Route } from '@rdm/platform';
import { createNamed, releaseName, rename } from '../invariants/unique-names.ts';
import { commandRoutes } from '../runtime/command-routes.ts';
import { type Commands, command } from '../runtime/commands.ts';
import type { Execution } from '../runtime/execution.ts';
import { kinds } from '../runtime/stream-kinds.ts';
import {
  changeConfiguration,
  changeSavedFilter,
  createConfiguration,
  createSavedFilter,
  deleteConfiguration,
  deleteSavedFilter,
  existingConfiguration,
  existingFilter,
  fieldPath,
} from './decider.ts';
import { actsAsAdministrator, configuredField, fieldIdsIn, requireReadable } from './readable-list.ts';

/** The text that is claimed in the stream of unique names: filter names are unique per owner and list. */
const scopedName = ({ ownerId, entity }: Pick<SavedFilter, 'ownerId' | 'entity'>, name: string): string =>
  `${ownerId} ${entity} ${name}`;

/** Replaces the message for a taken name, because the original message would quote the claimed text. */
async function withNameMessage<Result>(message: string, change: () => Promise<Result>): Promise<Result> {
  try {
    return await change();
  } catch (error) {
    throw error instanceof Refusal && error.code === 'NAME_TAKEN' ? new Refusal('NAME_TAKEN', message) : error;
  }
}

const nameTakenMessage = (name: string) => `You have a filter named "${name}" for this list: choose another name`;

const filterStream = streams.savedFilter;
const configurationStream = streams.filterConfiguration;

function filterAnswer(x: Execution, id: number, status = 200) {
  const state = x.after(kinds.savedFilter, filterStream(id));
  return { status, body: { id, name: state?.name ?? '', revision: state?.revision ?? 0 } };
}

function configurationAnswer(x: Execution, id: number, status = 200) {
  const state = x.after(kinds.filterConfiguration, configurationStream(id));
  return { status, body: { id, revision: state?.revision ?? 0 } };
}

/**
 * Loads a filter that the actor can see. `governedBy` is empty for the owner; for others, the data sets whose grants
 * control the list.
 */
async function loadVisible(x: Execution, id: number): Promise<{ filter: SavedFilter; governedBy: number[] }> {
  const { state } = await x.load(kinds.savedFilter, filterStream(id));
  const filter = existingFilter(state, x.actorId);
  const governedBy = filter.ownerId === x.actorId ? [] : await requireReadable(x, filter.entity, 'READ');
  return { filter, governedBy };
}

const createFilter = command<{ body: CreateSavedFilter }>('CreateSavedFilter', async (x, { body }) => {
  const governedBy = await requireReadable(x, body.entity, 'READ');
  const id = await x.allocateOne('saved_filter_ids');
  const fieldIds = await fieldIdsIn(x, body.entity, body.view);
  const owned = { ...body, id, ownerId: x.actorId, fieldIds };
  await withNameMessage(nameTakenMessage(body.name), () =>
    createNamed(x, 'savedFilters', scopedName(owned, body.name), id, () =>
      x.change(kinds.savedFilter, filterStream(id), governedBy, (filter) => createSavedFilter(filter, owned)),
    ),
  );
  return filterAnswer(x, id, 201);
});

// Stored commands call the expected revision `seen`.
const changeFilter = command<{ id: number; body: ChangeSavedFilter; seen?: number }>(
  'ChangeSavedFilter',
  async (x, { id, body, seen: expectedRevision }) => {
    const { filter, governedBy } = await loadVisible(x, id);
    const newFieldIds = body.view && { fieldIds: await fieldIdsIn(x, filter.entity, body.view) };
    const change = async () => {
      const { nameBefore } = await x.change(kinds.savedFilter, filterStream(id), governedBy, (state) =>
        changeSavedFilter(state, { ...body, ...newFieldIds, userId: x.actorId }, expectedRevision),
      );
      return { nameBefore: scopedName(filter, nameBefore) };
    };
    // Claim no name for the filter of another owner, because the decision refuses this change.
    const name = filter.ownerId === x.actorId ? body.name : undefined;
    if (name === undefined) await change();
    else
      await withNameMessage(nameTakenMessage(name), () =>
        rename(x, 'savedFilters', scopedName(filter, name), id, change),
      );
    return filterAnswer(x, id);
  },
);

const deleteFilter = command<{ id: number; seen?: number }>(
  'DeleteSavedFilter',
  async (x, { id, seen: expectedRevision }) => {
    const { governedBy } = await loadVisible(x, id);
    const by = { userId: x.actorId, isAdmin: await actsAsAdministrator(x) };
    const deleted = await x.change(kinds.savedFilter, filterStream(id), governedBy, (filter) =>
      deleteSavedFilter(filter, by, expectedRevision),
    );
    await releaseName(x, 'savedFilters', scopedName(deleted, deleted.name), id);
    return filterAnswer(x, id);
  },
);

/** The text that a configuration claims, so that each field of a list has at most one configuration. */
const fieldKey = (entityType: string, fieldPath: string): string => `${entityType} ${fieldPath}`;

const createConfigurationCommand = command<{ body: CreateFilterConfiguration }>(
  'CreateFilterConfiguration',
  async (x, { body }) => {
    const governedBy = await requireReadable(x, body.entityType, x.level);
    const field = await configuredField(x, body.entityType, body.fieldName);
    const id = await x.allocateOne('filter_configuration_ids');
    const key = fieldKey(body.entityType, fieldPath(body.fieldName, field));
    const message = `The filter by "${body.fieldName}" is configured already: change its configuration`;
    await withNameMessage(message, () =>
      createNamed(x, 'filterConfigurations', key, id, () =>
        x.change(kinds.filterConfiguration, configurationStream(id), governedBy, (configuration) =>
          createConfiguration(configuration, { ...body, id }, field),
        ),
      ),
    );
    return configurationAnswer(x, id, 201);
  },
);

/** Loads a configuration of a list that the actor can read. */
async function loadConfiguration(x: Execution, id: number) {
  const { state } = await x.load(kinds.filterConfiguration, configurationStream(id));
  const configuration = existingConfiguration(state);
  return { configuration, governedBy: await requireReadable(x, configuration.entityType, x.level) };
}

const changeConfigurationCommand = command<{ id: number; body: ChangeFilterConfiguration; seen?: number }>(
  'ChangeFilterConfiguration',
  async (x, { id, body, seen: expectedRevision }) => {
    const { governedBy } = await loadConfiguration(x, id);
    await x.change(kinds.filterConfiguration, configurationStream(id), governedBy, (state) =>
      changeConfiguration(state, body, expectedRevision),
    );
    return configurationAnswer(x, id);
  },
);

const deleteConfigurationCommand = command<{ id: number; seen?: number }>(
  'DeleteFilterConfiguration',
  async (x, { id, seen: expectedRevision }) => {
    const { configuration, governedBy } = await loadConfiguration(x, id);
    await x.change(kinds.filterConfiguration, configurationStream(id), governedBy, (state) =>
      deleteConfiguration(state, expectedRevision),
    );
    await releaseName(x, 'filterConfigurations', fieldKey(configuration.entityType, configuration.fieldPath), id);
    return configurationAnswer(x, id);
  },
);

const PERSON = { person: true } as const;
const MANAGE = { ability: 'filters.manage', level: 'READ' } as const;

export function filterRoutes(commands: Commands): Route[] {
  commands.register([
    createFilter,
    changeFilter,
    deleteFilter,
    createConfigurationCommand,
    changeConfigurationCommand,
    deleteConfigurationCommand,
  ]);
  const routes = commandRoutes(commands);
  return [
    routes.create('/api/saved-filters', PERSON, CreateSavedFilter, createFilter, {
      summary: 'Save a filter',
      example: { body: { name: 'Countries', entity: 'crosswalks', view: { q: 'countries' } } },
      errors: ['NAME_TAKEN', 'NOT_FOUND'],
    }),
    routes.change('patch', '/api/saved-filters/:id', PERSON, ChangeSavedFilter, changeFilter, {
      summary: 'Change a saved filter',
      example: { body: { isShared: true } },
      errors: ['NAME_TAKEN'],
    }),
    routes.remove('/api/saved-filters/:id', PERSON, deleteFilter, { summary: 'Delete a saved filter' }),
    routes.create('/api/filter-configurations', MANAGE, CreateFilterConfiguration, createConfigurationCommand, {
      summary: 'Configure the filter of a field',
      example: {
        body: { entityType: 'data-set:1', fieldName: 'name', dataType: 'string', allowedOperators: ['contains'] },
      },
      errors: ['NAME_TAKEN'],
    }),
    routes.change(
      'patch',
      '/api/filter-configurations/:id',
      MANAGE,
      ChangeFilterConfiguration,
      changeConfigurationCommand,
      { summary: 'Change the configuration of a filter', example: { body: { isActive: false } } },
    ),
    routes.remove('/api/filter-configurations/:id', MANAGE, deleteConfigurationCommand, {
      summary: 'Delete the configuration of a filter',
    }),
  ];
}
