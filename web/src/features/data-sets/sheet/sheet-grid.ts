/** Types that the hooks of the sheet share: the grid, and a text for a cell. */
import type { InstanceView } from '@rdm/contracts/data-sets/instances';
import type { GridPosition } from '../../../components/data-grid/index.ts';
import type { CellField } from '../components/cells.ts';

export type Grid = GridPosition<InstanceView>;

export interface CellText {
  row: InstanceView;
  field: CellField;
  text: string;
}
