/** The page of the mappings of a crosswalk, with a tab for each status and live updates. */

import { hasLevel } from '@rdm/contracts/access/permissions';
import { MAPPING_TABS } from '@rdm/contracts/crosswalks/mappings';
import { useQuery } from '@tanstack/react-query';
import { parseAsStringLiteral, useQueryState } from 'nuqs';
import { useState } from 'react';
import { useNavigate, useParams } from 'react-router-dom';
import { DefinitionLoading } from '../../../components/definitions/loading.tsx';
import { EmptyState } from '../../../components/empty-state/index.tsx';
import { Button } from '../../../components/ui/button.tsx';
import { Tabs } from '../../../components/ui/tabs.tsx';
import { type Undoable, UndoBar } from '../../../components/undo-bar/index.tsx';
import { useLive } from '../../../lib/live/index.tsx';
import { formatNumber } from '../../../lib/number-format.ts';
import { useIsPast } from '../../../lib/past/index.ts';
import { type CopyMode, crosswalkKey, crosswalkQuery } from '../api/crosswalks.ts';
import { type MappingTab, tabCountsQuery } from '../api/mappings.ts';
import { CopyCrosswalkDialog } from '../components/definition/CopyCrosswalkDialog.tsx';
import { MappingsHeader } from '../components/definition/MappingsHeader.tsx';
import { ImportDialog } from '../components/exchange/ImportDialog.tsx';
import { useMappingImport } from '../components/exchange/useMappingImport.tsx';
import { TAB_LABELS } from '../components/mappings/mapping-tabs.ts';
import { StatusTab } from '../components/mappings/StatusTab.tsx';
import { DismissedTab } from '../components/suggestions/DismissedTab.tsx';
import { Worklist } from '../components/suggestions/Worklist.tsx';

/** The tab to which an empty tab links. */
const NEXT_TAB: Record<MappingTab, MappingTab> = {
  unmapped: 'draft',
  suggested: 'unmapped',
  draft: 'suggested',
  pending: 'draft',
  approved: 'pending',
  rejected: 'draft',
  broken: 'approved',
  deleted: 'draft',
  dismissed: 'suggested',
};

export default function Mappings() {
  const id = Number(useParams()['id']);
  const navigate = useNavigate();
  const [urlTab] = useQueryState('tab', parseAsStringLiteral(MAPPING_TABS));
  const [undoable, setUndoable] = useState<Undoable>();
  const [isImporting, setIsImporting] = useState(false);
  // The id of a file that the user dropped into the onboarding wizard.
  const [fileId, setFileId] = useQueryState('file');
  const [copyMode, setCopyMode] = useState<CopyMode>();
  const crosswalk = useQuery(crosswalkQuery(id));
  const counts = useQuery(tabCountsQuery(id));
  // Users who can map start with the unmapped values; readers start with the approved ones.
  const tab = urlTab ?? (hasLevel(crosswalk.data?.level ?? 'READ', 'WRITE') ? 'unmapped' : 'approved');
  // Suggestions are not stored, so there are none for the past.
  const tabs: readonly MappingTab[] = useIsPast() ? MAPPING_TABS.filter((name) => name !== 'suggested') : MAPPING_TABS;
  const live = useLive({ rooms: [`crosswalk:${id}`], keys: [crosswalkKey(id)] });
  const importJob = useMappingImport(id, setUndoable);

  if (crosswalk.data === undefined) return <DefinitionLoading name="crosswalk" result={crosswalk} />;

  // Removes the search, filter and page of the previous tab from the URL, but keeps the running import.
  const openTab = (nextTab: MappingTab) =>
    void navigate({ search: `?tab=${nextTab}${importJob.jobId === null ? '' : `&import=${importJob.jobId}`}` });
  // Offers the next tab only if it is not empty.
  const emptyAction = (counts.data?.[NEXT_TAB[tab]] ?? 0) > 0 && (
    <Button onClick={() => openTab(NEXT_TAB[tab])}>Go to {TAB_LABELS[NEXT_TAB[tab]]}</Button>
  );
  const tabProps = { crosswalk: crosswalk.data, live, onUndoable: setUndoable, emptyAction };

  return (
    <div className="flex min-h-0 flex-1 flex-col">
      <MappingsHeader
        crosswalk={crosswalk.data}
        onImport={() => setIsImporting(true)}
        onCopy={setCopyMode}
        onUndoable={setUndoable}
      />
      <Tabs
        label="Mappings by status"
        className="flex-1"
        value={tab}
        onValueChange={openTab}
        tabs={tabs.map((value) => ({
          value,
          label: TAB_LABELS[value],
          count: counts.data === undefined ? '–' : formatNumber(counts.data[value]),
        }))}
      >
        {!tabs.includes(tab) ? (
          <EmptyState
            title="Suggestions are not available for the past"
            description="Suggestions are based on current data. The mappings at this time are on the other tabs."
          />
        ) : tab === 'unmapped' || tab === 'suggested' ? (
          <Worklist key={tab} tab={tab} {...tabProps} />
        ) : tab === 'dismissed' ? (
          <DismissedTab {...tabProps} />
        ) : (
          <StatusTab key={tab} tab={tab} {...tabProps} />
        )}
      </Tabs>
      {(isImporting || fileId !== null) && (
        <ImportDialog
          crosswalk={crosswalk.data}
          fileId={fileId ?? undefined}
          onStarted={importJob.begin}
          onClose={() => {
            setIsImporting(false);
            void setFileId(null);
          }}
        />
      )}
      {importJob.dialogs}
      {copyMode !== undefined && (
        <CopyCrosswalkDialog crosswalk={crosswalk.data} mode={copyMode} onClose={() => setCopyMode(undefined)} />
      )}
      {undoable !== undefined && <UndoBar action={undoable} onClose={() => setUndoable(undefined)} />}
    </div>
  );
}
