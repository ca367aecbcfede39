/** A field of a list with its configuration, if it has one. */
import type { FilterConfigurationView } from '@rdm/contracts/filters/filter-configurations';
import type { FilterField } from '@rdm/contracts/lists/filter';

export interface ConfigurableField {
  field: FilterField;
  configuration: FilterConfigurationView | undefined;
}
