import type { Migration } from '../migration.ts';

export const filters: Migration = {
  name: '0008-filters',
  up: `
CREATE SEQUENCE command.saved_filter_ids;
CREATE SEQUENCE command.filter_configuration_ids;`,
};
