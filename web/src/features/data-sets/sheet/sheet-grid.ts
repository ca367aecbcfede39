/** The grid as the sheet's hooks use it. */
import type { InstanceView } from '@rdm/contracts/data-sets/instances';
import type { GridPlace } from '../../../components/data-grid/index.ts';
import type { CellField } from '../components/cells.ts';

export type Grid = GridPlace<InstanceView>;

export interface CellText {
  row: InstanceView;
  field: CellField;
  text: string;
}
