/** The page Purge Data: purges, legal holds, and the erasure of a user. */
import { useQuery } from '@tanstack/react-query';
import { parseAsStringLiteral, useQueryState } from 'nuqs';
import { PageHeader } from '../../../components/page/index.tsx';
import { Tabs } from '../../../components/ui/tabs.tsx';
import { purgesQuery } from '../api/purges.ts';
import { EraseTab } from '../components/EraseTab.tsx';
import { HoldsTab } from '../components/HoldsTab.tsx';
import { isEnded, PurgesTab } from '../components/PurgesTab.tsx';
import { PlanTab } from '../components/plan/PlanTab.tsx';

const TABS = ['new', 'waiting', 'done', 'holds', 'erase'] as const;
const tabParser = parseAsStringLiteral(TABS).withDefault('new');

export default function PurgeData() {
  const [tab, setTab] = useQueryState('tab', tabParser);
  const { data: purges = [] } = useQuery(purgesQuery);
  const openCount = purges.filter((each) => each.status !== 'DRY_RUN' && !isEnded(each)).length;
  return (
    <div className="flex min-h-0 flex-1 flex-col">
      <PageHeader
        title="Purge Data"
        description="Removes deleted data, ended jobs or the data of a user for good. A signed digest of each purged event stays in the log as proof."
      />
      <Tabs
        label="Purges and legal holds"
        className="flex-1"
        value={tab}
        onValueChange={(chosen) => void setTab(chosen === 'new' ? null : chosen)}
        tabs={[
          { value: 'new', label: 'New' },
          { value: 'waiting', label: 'Waiting or running', count: openCount === 0 ? undefined : openCount },
          { value: 'done', label: 'Ended' },
          { value: 'holds', label: 'Legal holds' },
          { value: 'erase', label: 'Erase a user' },
        ]}
      >
        {tab === 'new' && <PlanTab onRequested={() => void setTab('waiting')} />}
        {tab === 'waiting' && <PurgesTab key="waiting" ended={false} />}
        {tab === 'done' && <PurgesTab key="done" ended />}
        {tab === 'holds' && <HoldsTab />}
        {tab === 'erase' && <EraseTab />}
      </Tabs>
    </div>
  );
}
