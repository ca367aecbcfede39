import type { Migration } from '../migration.ts';

export const relationshipValues: Migration = {
  name: '0006-relationship-values',
  up: 'CREATE SEQUENCE command.relationship_value_ids;',
};
