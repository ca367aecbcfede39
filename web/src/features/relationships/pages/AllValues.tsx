/** The page of the values of all relationships that the user can read, with a tab for each status. */
import { useQuery } from '@tanstack/react-query';
import { parseAsStringLiteral, useQueryState } from 'nuqs';
import { useState } from 'react';
import { Link, useNavigate } from 'react-router-dom';
import { PageHeader } from '../../../components/page/index.tsx';
import { Button } from '../../../components/ui/button.tsx';
import { Tabs } from '../../../components/ui/tabs.tsx';
import { type Undoable, UndoBar } from '../../../components/undo-bar/index.tsx';
import { allCountsQuery, RELATIONSHIP_VALUE_TABS, type ValueTab } from '../api/values.ts';
import { tabsWithCounts } from '../components/tabs.ts';
import { ValuesTab } from '../components/values/ValuesTab.tsx';

export default function AllValues() {
  const navigate = useNavigate();
  const [tab] = useQueryState('tab', parseAsStringLiteral(RELATIONSHIP_VALUE_TABS).withDefault('draft'));
  const [undoable, setUndoable] = useState<Undoable>();
  const counts = useQuery(allCountsQuery);

  return (
    <div className="flex min-h-0 flex-1 flex-col">
      <PageHeader
        title="Relationship values"
        description="The values of all relationships that you can read."
        actions={
          <Button asChild>
            <Link to="/relationships">Relationships</Link>
          </Button>
        }
      />
      <Tabs
        label="Values by status"
        className="flex-1"
        value={tab}
        onValueChange={(nextTab: ValueTab) => void navigate({ search: `?tab=${nextTab}` })}
        tabs={tabsWithCounts(counts.data)}
      >
        <ValuesTab
          key={tab}
          tab={tab}
          onUndoable={setUndoable}
          emptyAction={
            <Button asChild>
              <Link to="/relationships">Go to the relationships</Link>
            </Button>
          }
        />
      </Tabs>
      {undoable !== undefined && <UndoBar action={undoable} onClose={() => setUndoable(undefined)} />}
    </div>
  );
}
