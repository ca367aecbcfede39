/** The approvals dashboard: pending items for the user to decide, own submissions, and decided items. */
import { APPROVAL_TABS, type ApprovalStatistics } from '@rdm/contracts/approvals/approvals';
import type { LiveChange } from '@rdm/contracts/live/live';
import { useQuery } from '@tanstack/react-query';
import { Eye } from 'lucide-react';
import { parseAsStringLiteral, useQueryState } from 'nuqs';
import { useState } from 'react';
import { useNavigate } from 'react-router-dom';
import { type Figure, FigureLine, PageHeader } from '../../../components/page/index.tsx';
import { RelativeTime } from '../../../components/timeline/index.tsx';
import { Tabs } from '../../../components/ui/tabs.tsx';
import { useCurrentUser } from '../../../lib/auth/index.ts';
import { usePeople } from '../../../lib/auth/people.ts';
import { useMayApprove } from '../../../lib/data-sets/index.ts';
import { useLive, usePresence } from '../../../lib/live/index.tsx';
import { formatNumber } from '../../../lib/number-format.ts';
import { type ApprovalTab, approvalsKey, statisticsQuery } from '../api/approvals.ts';
import { durationText } from '../components/items.ts';
import { newestOtherDecision, type OtherDecision } from '../components/other-decisions.ts';
import { TabPanes } from '../components/TabPanes.tsx';

const LABELS: Record<ApprovalTab, string> = { review: 'To review', submitted: 'Submitted by me', decided: 'Decided' };
const ROOMS = ['approvals'];
const KEYS = [approvalsKey];
export default function Approvals() {
  const user = useCurrentUser();
  const navigate = useNavigate();
  const [tab] = useQueryState('tab', parseAsStringLiteral(APPROVAL_TABS).withDefault('review'));
  const [otherDecision, setOtherDecision] = useState<OtherDecision>();
  /** The comments that the user has typed, by item; lost when the user leaves the page. */
  const [comments] = useState(() => new Map<string, string>());
  const statistics = useQuery(statisticsQuery);
  const live = useLive({
    rooms: ROOMS,
    keys: KEYS,
    onChanges: (changes: readonly LiveChange[]) => {
      const decision = newestOtherDecision(changes, user.id);
      if (decision !== undefined) setOtherDecision(decision);
    },
  });
  const otherUsers = usePresence('approvals').filter((id) => id !== user.id);
  const nameOf = usePeople([...otherUsers, otherDecision?.by]);
  const figures = statistics.data;
  const mayApprove = useMayApprove() !== false;

  return (
    <div className="flex min-h-0 flex-1 flex-col">
      <PageHeader
        title="Approvals Dashboard"
        description="Submitted changes. Each is reviewed by a user other than its authors."
        actions={
          <div role="status" className="flex flex-col items-end text-muted text-sm max-sm:items-start">
            {otherUsers.length > 0 && (
              <p className="flex items-center gap-1.5">
                <Eye aria-hidden="true" className="size-4" />
                {otherUsers.map(nameOf).join(', ')} {otherUsers.length === 1 ? 'is' : 'are'} viewing this page too
              </p>
            )}
            {otherDecision !== undefined && (
              <p>
                {nameOf(otherDecision.by)} just {otherDecision.verb} {formatNumber(otherDecision.count)}{' '}
                {otherDecision.count === 1 ? 'item' : 'items'}
              </p>
            )}
          </div>
        }
      />
      <FigureLine
        figures={[
          ...waitingFigures(figures, mayApprove),
          {
            label: 'Decided today, by all users',
            value: figures === undefined ? '–' : formatNumber(figures.decidedToday),
          },
          {
            label: 'Median time to decide',
            value: figures === undefined ? '–' : durationText(figures.medianDecisionSeconds),
          },
        ]}
      />
      <Tabs
        label="Approvals"
        className="flex-1"
        value={tab}
        onValueChange={(next) => void navigate({ search: `?tab=${next}` })}
        tabs={APPROVAL_TABS.map((value) => ({
          value,
          label: LABELS[value],
          // Hides a count of 0, because the list can contain own submissions, which the count does not include.
          ...(value === 'review' &&
            figures !== undefined &&
            figures.waiting > 0 && { count: formatNumber(figures.waiting) }),
          ...(value === 'submitted' &&
            figures !== undefined &&
            figures.ownWaiting > 0 && { count: `${formatNumber(figures.ownWaiting)} waiting` }),
        }))}
      >
        <TabPanes key={tab} tab={tab} live={live} comments={comments} />
      </Tabs>
    </div>
  );
}

/** Returns the figures of the items that wait for the user; without such items, of the user's own waiting items. */
function waitingFigures(figures: ApprovalStatistics | undefined, mayApprove: boolean): Figure[] {
  if (figures === undefined) return [{ label: 'Waiting for you', value: '–' }];
  const { waiting, ownWaiting, oldestSubmittedAt } = figures;
  if (waiting === 0 && ownWaiting > 0) {
    return [{ label: 'Submitted by you, waiting for another user', value: formatNumber(ownWaiting) }];
  }
  if (waiting === 0 && !mayApprove) return [];
  return [
    { label: 'Waiting for you', value: formatNumber(waiting) },
    { label: 'Oldest item', value: oldestSubmittedAt === null ? '—' : <RelativeTime at={oldestSubmittedAt} /> },
  ];
}
