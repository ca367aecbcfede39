/** The page of the values of a relationship, with a tab for each status and live updates. */
import { hasLevel } from '@rdm/contracts/access/permissions';
import { useQuery } from '@tanstack/react-query';
import { Plus } from 'lucide-react';
import { parseAsStringLiteral, useQueryState } from 'nuqs';
import { useState } from 'react';
import { useNavigate, useParams } from 'react-router-dom';
import { DefinitionLoading } from '../../../components/definitions/loading.tsx';
import { Button } from '../../../components/ui/button.tsx';
import { Tabs } from '../../../components/ui/tabs.tsx';
import { type Undoable, UndoBar } from '../../../components/undo-bar/index.tsx';
import { relationshipQuery } from '../api/relationships.ts';
import { RELATIONSHIP_VALUE_TABS, tabCountsQuery, type ValueTab } from '../api/values.ts';
import { CopyRelationshipDialog } from '../components/CopyRelationshipDialog.tsx';
import { ImportDialog } from '../components/ImportDialog.tsx';
import { NEXT_TAB, TAB_LABELS, tabsWithCounts } from '../components/tabs.ts';
import { useValueImport } from '../components/values/useValueImport.tsx';
import { ValueDialog } from '../components/values/ValueDialog.tsx';
import { ValuesHeader } from '../components/values/ValuesHeader.tsx';
import { ValuesTab } from '../components/values/ValuesTab.tsx';

export default function RelationshipValues() {
  const id = Number(useParams()['id']);
  const navigate = useNavigate();
  const [tab] = useQueryState('tab', parseAsStringLiteral(RELATIONSHIP_VALUE_TABS).withDefault('draft'));
  const [undoable, setUndoable] = useState<Undoable>();
  const [dialog, setDialog] = useState<'add' | 'import' | 'copy'>();
  // The id of a file that the user dropped into the onboarding wizard.
  const [fileId, setFileId] = useQueryState('file');
  const result = useQuery(relationshipQuery(id));
  const counts = useQuery(tabCountsQuery(id));
  const importJob = useValueImport(id, setUndoable);

  if (result.data === undefined) return <DefinitionLoading name="relationship" result={result} />;
  const relationship = result.data;

  // Removes the search, filter and page of the previous tab from the URL, but keeps the running import.
  const openTab = (nextTab: ValueTab) =>
    void navigate({ search: `?tab=${nextTab}${importJob.jobId === null ? '' : `&import=${importJob.jobId}`}` });
  const mayWrite = hasLevel(relationship.level, 'WRITE');
  const emptyAction =
    tab === 'draft' && mayWrite ? (
      <Button variant="primary" onClick={() => setDialog('add')}>
        <Plus />
        Add a value
      </Button>
    ) : (
      <Button onClick={() => openTab(NEXT_TAB[tab])}>Go to {TAB_LABELS[NEXT_TAB[tab]]}</Button>
    );

  return (
    <div className="flex min-h-0 flex-1 flex-col">
      <ValuesHeader
        relationship={relationship}
        onAdd={() => setDialog('add')}
        onImport={() => setDialog('import')}
        onCopy={() => setDialog('copy')}
        onUndoable={setUndoable}
      />
      <Tabs
        label="Values by status"
        className="flex-1"
        value={tab}
        onValueChange={openTab}
        tabs={tabsWithCounts(counts.data)}
      >
        <ValuesTab key={tab} relationship={relationship} tab={tab} onUndoable={setUndoable} emptyAction={emptyAction} />
      </Tabs>
      {undoable !== undefined && <UndoBar action={undoable} onClose={() => setUndoable(undefined)} />}
      {dialog === 'add' && <ValueDialog relationship={relationship} onClose={() => setDialog(undefined)} />}
      {dialog === 'copy' && <CopyRelationshipDialog relationship={relationship} onClose={() => setDialog(undefined)} />}
      {(dialog === 'import' || fileId !== null) && (
        <ImportDialog
          relationship={relationship}
          fileId={fileId ?? undefined}
          onStarted={importJob.begin}
          onClose={() => {
            setDialog(undefined);
            void setFileId(null);
          }}
        />
      )}
      {importJob.dialogs}
    </div>
  );
}
