/** The audit logs: activities as sentences, events, failed sign-ins, and the verification of the chain. */
import type { FilterGroup } from '@rdm/contracts/lists/filter';
import { FileKey, ShieldCheck } from 'lucide-react';
import { parseAsString, parseAsStringLiteral, useQueryState, useQueryStates } from 'nuqs';
import { useEffect, useState } from 'react';
import { Navigate, useNavigate } from 'react-router-dom';
import { withErrorReport } from '../../../components/exports/save-file.ts';
import { PageHeader } from '../../../components/page/index.tsx';
import { Button } from '../../../components/ui/button.tsx';
import { Tabs } from '../../../components/ui/tabs.tsx';
import { urlOf } from '../../../lib/api/index.ts';
import { saveBlob } from '../../../lib/save-blob/index.ts';
import { useListState } from '../../../lib/url-state/list-state.ts';
import { ACTIVITY_PREFIX, activitiesPath } from '../api/activities.ts';
import { readSignedHead } from '../api/audit.ts';
import { Activities } from '../components/Activities.tsx';
import { Events, equalsFilter, useKind } from '../components/Events.tsx';
import { FailedSignIns } from '../components/FailedSignIns.tsx';
import { VerifiedLine } from '../components/VerifiedLine.tsx';
import { type Verification, VerifyDialog } from '../components/VerifyDialog.tsx';

const TABS = [
  { value: 'activities', label: 'Activities' },
  { value: 'events', label: 'Events' },
  { value: 'sign-ins', label: 'Sign-ins' },
] as const;
type Tab = (typeof TABS)[number]['value'];

/**
 * Returns the tab in the URL. A link without a tab opens the tab to which its parameters belong. Links of
 * earlier versions have the parameter `part` for the failed sign-ins.
 */
function useTab(hasEventsInUrl: boolean): Tab {
  const [tab, setTab] = useQueryState('tab', parseAsStringLiteral(TABS.map(({ value }) => value)));
  const [part] = useQueryState('part', parseAsString);
  const shownTab = tab ?? (part === 'failed-sign-ins' ? 'sign-ins' : hasEventsInUrl ? 'events' : 'activities');
  // Stores the tab in the URL, so that the tab stays open when the user clears the filter of the link.
  useEffect(() => {
    if (shownTab !== 'activities') void setTab(shownTab);
  }, [shownTab, setTab]);
  return shownTab;
}

/** Saves the signed head of the chain. `npm run verify-log` compares an exported log with the head. */
const exportSignedHead = () =>
  withErrorReport(async () => {
    const head = await readSignedHead();
    saveBlob(new Blob([`${JSON.stringify(head, null, 2)}\n`], { type: 'application/json' }), `head-${head.seq}.json`);
  });

const LINK = { tab: parseAsString, kind: parseAsString, filter: parseAsString, q: parseAsString };

/** A link that contains only a search opens the activities, because only the search of activities finds codes. */
export default function AuditLogs() {
  const [{ q, ...otherParams }] = useQueryStates(LINK);
  return q !== null && Object.values(otherParams).every((value) => value === null) ? (
    <Navigate replace to={activitiesPath(q)} />
  ) : (
    <Logs />
  );
}

function Logs() {
  const navigate = useNavigate();
  const [kind] = useKind();
  const events = useListState({ sort: 'seq', order: 'DESC' });
  const activities = useListState({ prefix: ACTIVITY_PREFIX });
  const tab = useTab(kind !== null || events.filter !== undefined);
  const [isVerifying, setVerifying] = useState(false);
  const [verified, setVerified] = useState<Verification>();
  const showEvents = (filter: FilterGroup) =>
    void navigate(`/audit-logs?tab=events&filter=${encodeURIComponent(JSON.stringify(filter))}`);
  /** Opens a tab without filters. The activities and the events have the same search text. */
  function openTab(chosen: Tab) {
    const [activitySearch, eventSearch] = [activities.params.q, events.params.q];
    const eventsQuery = { tab: chosen, q: chosen === 'events' ? (eventSearch ?? activitySearch) : undefined };
    void navigate(
      chosen === 'activities' ? activitiesPath(activitySearch ?? eventSearch) : urlOf('/audit-logs', eventsQuery),
    );
  }

  return (
    <div className="flex min-h-0 flex-1 flex-col">
      <PageHeader
        title="Audit Logs"
        description="Who did what, and when: search for a code, a label, a name or a person. The log is tamper-evident."
        actions={
          <>
            <Button onClick={() => void exportSignedHead()}>
              <FileKey />
              Export signed chain head
            </Button>
            <Button variant="primary" onClick={() => setVerifying(true)}>
              <ShieldCheck />
              Verify chain
            </Button>
          </>
        }
      />
      {verified !== undefined && !isVerifying && (
        <VerifiedLine verified={verified} onDismiss={() => setVerified(undefined)} />
      )}
      <Tabs label="Audit logs" className="flex-1" value={tab} onValueChange={openTab} tabs={TABS}>
        {tab === 'activities' && <Activities onEvents={showEvents} />}
        {tab === 'events' && <Events state={events} />}
        {tab === 'sign-ins' && <FailedSignIns />}
      </Tabs>
      {isVerifying && (
        <VerifyDialog
          onVerified={setVerified}
          onClose={() => setVerifying(false)}
          onShow={(seq) => {
            setVerifying(false);
            showEvents(equalsFilter('seq', seq));
          }}
        />
      )}
    </div>
  );
}
