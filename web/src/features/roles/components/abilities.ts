/** Labels for the abilities of a role. */
import type { Ability } from '@rdm/contracts/access/permissions';

export const ABILITY_WORDS: Record<Ability, string> = {
  'types.write': 'Define and change reference data types',
  'dataSets.create': 'Create data sets',
  'collections.create': 'Create collections',
  'filters.manage': 'Configure filters',
};
