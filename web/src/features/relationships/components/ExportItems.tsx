/**
 * Menu items for exports: the values of the tab that match the search and the filter, and all values. Deleted values
 * are not exported.
 */
import { ExportFormats } from '../../../components/exports/index.tsx';
import { tabExportLabel } from '../../../components/exports/tab-export-label.ts';
import { MenuSeparator } from '../../../components/ui/dropdown-menu.tsx';
import type { ListParams } from '../../../lib/url-state/list-state.ts';
import { exportUrl, type ValueTab } from '../api/values.ts';
import { TAB_LABELS } from './tabs.ts';

interface ExportItemsProps {
  relationshipId: number;
  tab: ValueTab;
  params: ListParams;
}

export function ExportItems({ relationshipId, tab, params }: ExportItemsProps) {
  return (
    <>
      {tab !== 'deleted' && (
        <>
          <ExportFormats
            label={tabExportLabel(`${TAB_LABELS[tab]} values`, params)}
            urlOf={(format) => exportUrl(relationshipId, format, tab, params)}
          />
          <MenuSeparator />
        </>
      )}
      <ExportFormats label="All values that are not deleted" urlOf={(format) => exportUrl(relationshipId, format)} />
    </>
  );
}
