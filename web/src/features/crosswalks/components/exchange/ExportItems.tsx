/** Menu items that export the matching mappings of a tab, or all mappings. */
import { MAPPING_FORMATS, type MappingFormat } from '@rdm/contracts/crosswalks/mapping-exchange';
import { FileJson, FileSpreadsheet, HeartPulse, type LucideIcon, Waypoints } from 'lucide-react';
import { saveFile } from '../../../../components/exports/save-file.ts';
import { tabExportLabel } from '../../../../components/exports/tab-export-label.ts';
import { MenuItem, MenuLabel, MenuSeparator } from '../../../../components/ui/dropdown-menu.tsx';
import type { ListParams } from '../../../../lib/url-state/list-state.ts';
import { type ExportScope, exportUrl } from '../../api/exchange.ts';
import type { MappingTab } from '../../api/mappings.ts';
import { TAB_LABELS } from '../mappings/mapping-tabs.ts';
import { FORMAT_LABELS } from './format-labels.ts';

const ICONS: Record<MappingFormat, LucideIcon> = {
  csv: FileSpreadsheet,
  json: FileJson,
  conceptmap: HeartPulse,
  sssom: Waypoints,
};

interface ExportItemsProps {
  crosswalkId: number;
  tab: MappingTab;
  params: ListParams;
}

export function ExportItems({ crosswalkId, tab, params }: ExportItemsProps) {
  const mappings = tab === 'broken' ? 'Mappings with a broken target' : `${TAB_LABELS[tab]} mappings`;
  const canExportTab = tab !== 'unmapped' && tab !== 'suggested' && tab !== 'dismissed' && tab !== 'deleted';
  const formatItems = (label: string, scope: ExportScope) => (
    <>
      <MenuLabel>{label}</MenuLabel>
      {MAPPING_FORMATS.map((format) => {
        const Icon = ICONS[format];
        return (
          <MenuItem key={format} onSelect={() => void saveFile(exportUrl(crosswalkId, format, scope))}>
            <Icon />
            {FORMAT_LABELS[format]}
          </MenuItem>
        );
      })}
    </>
  );
  return (
    <>
      {canExportTab && (
        <>
          {formatItems(tabExportLabel(mappings, params), { tab, params })}
          <MenuSeparator />
        </>
      )}
      {formatItems('Every mapping', {})}
    </>
  );
}
