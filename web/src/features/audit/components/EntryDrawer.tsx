/** The details of one entry: its data and hashes, links to replays and to the past page, and its related events. */
import type { AuditLogView } from '@rdm/contracts/audit/audit-log-view';
import { Clock, History, Layers } from 'lucide-react';
import { Link } from 'react-router-dom';
import { RelativeTime } from '../../../components/timeline/index.tsx';
import { Button } from '../../../components/ui/button.tsx';
import { Drawer } from '../../../components/ui/drawer.tsx';
import { usePeople } from '../../../lib/auth/people.ts';
import { formatNumber } from '../../../lib/number-format.ts';
import { useAccessChanges } from './access-changes.ts';
import {
  actionText,
  actorIdOf,
  actorOf,
  entityText,
  Instant,
  Severity,
  summaryDetail,
  Transition,
} from './columns.tsx';
import { Fact, Facts } from './Facts.tsx';
import { pastPageOf, replayables } from './subjects.ts';

export interface EntryDrawerProps {
  entry: AuditLogView;
  onShowRelated: () => void;
  onClose: () => void;
}

export function EntryDrawer({ entry, onShowRelated, onClose }: EntryDrawerProps) {
  const replays = replayables(entry);
  const pastPage = pastPageOf(entry);
  const accessChanges = useAccessChanges(entry);
  const nameOf = usePeople([actorIdOf(entry), entry.targetUserId]);
  const hiddenCount = (entry.recordIds?.length ?? 0) - replays.length;
  return (
    <Drawer
      open
      onOpenChange={(open) => !open && onClose()}
      title={actionText(entry)}
      description={[`Entry ${entry.seq}`, summaryDetail(entry)].filter((part) => part !== '').join(': ')}
      className="max-w-[640px]"
      footer={
        entry.correlationId !== null && (
          <Button onClick={onShowRelated}>
            <Layers />
            Show all related events
          </Button>
        )
      }
    >
      <div className="flex flex-col gap-5">
        <Facts>
          <Fact label="Time">
            <Instant at={entry.timestamp} />{' '}
            <span className="text-muted">
              (<RelativeTime at={entry.timestamp} />)
            </span>
          </Fact>
          <Fact label="User">{actorOf(entry, nameOf)}</Fact>
          <Fact label="Entity">{entityText(entry)}</Fact>
          <Fact label="Before → after">
            <Transition before={entry.statusBefore} after={entry.statusAfter} />
          </Fact>
          <Fact label="Records affected">{formatNumber(entry.affectedRecordCount)}</Fact>
          <Fact label="Severity">
            <Severity severity={entry.severity} />
          </Fact>
          <Fact label="Source">{entry.sourceType}</Fact>
          {entry.submissionComment !== null && <Fact label="Comment">{entry.submissionComment}</Fact>}
          {entry.rejectionReason !== null && <Fact label="Reason">{entry.rejectionReason}</Fact>}
          {entry.targetUserId !== null && <Fact label="Target user">{nameOf(entry.targetUserId)}</Fact>}
          {accessChanges.map(({ label, value }) => (
            <Fact key={label} label={label}>
              {value}
            </Fact>
          ))}
        </Facts>
        {replays.length > 0 && (
          <section aria-labelledby="replay">
            <h3 id="replay" className="mb-1.5 font-medium">
              Replay
            </h3>
            <ul className="flex flex-wrap gap-1.5">
              {replays.map(({ label, to }) => (
                <li key={to}>
                  <Button asChild size="sm">
                    <Link to={to}>
                      <History />
                      {label}
                    </Link>
                  </Button>
                </li>
              ))}
            </ul>
            {entry.recordIds !== null && hiddenCount > 0 && (
              <p className="mt-1 text-muted text-xs">
                and {formatNumber(hiddenCount)} more {hiddenCount === 1 ? 'row' : 'rows'} without a link
              </p>
            )}
          </section>
        )}
        {pastPage !== undefined && (
          <section aria-labelledby="pastPage">
            <h3 id="pastPage" className="mb-1.5 font-medium">
              At the time of this event
            </h3>
            <Button asChild size="sm">
              <Link to={pastPage}>
                <Clock />
                Open the page as of this event
              </Link>
            </Button>
          </section>
        )}
        <section aria-labelledby="proof">
          <h3 id="proof" className="mb-1.5 font-medium">
            Proof
          </h3>
          <Facts>
            <Code label="Stream" value={entry.stream && `${entry.stream} @ ${entry.streamRevision}`} />
            <Code label="Event" value={entry.eventId} />
            <Code label="Digest" value={entry.digest} />
            <Code label="Chain hash" value={entry.chainHash} />
            <Code label="Correlation" value={entry.correlationId} />
            <Code label="Request" value={entry.requestId} />
            <Code label="IP address" value={entry.ipAddress} />
            <Fact label="User agent">{entry.userAgent ?? '—'}</Fact>
          </Facts>
        </section>
      </div>
    </Drawer>
  );
}

function Code({ label, value }: { label: string; value: string | null }) {
  return (
    <Fact label={label}>
      <span className="break-all font-mono text-xs">{value ?? '—'}</span>
    </Fact>
  );
}
