/** The header of a crosswalk's mappings: source and target, status, and the actions on the crosswalk itself. */

import { hasLevel } from '@rdm/contracts/access/permissions';
import type { CrosswalkView } from '@rdm/contracts/crosswalks/crosswalks';
import { useQuery } from '@tanstack/react-query';
import {
  ArrowRightLeft,
  ChevronLeft,
  CircleHelp,
  Columns3,
  Copy,
  FileUp,
  History,
  MoreVertical,
  Pencil,
  TriangleAlert,
} from 'lucide-react';
import { useState } from 'react';
import { Link, useNavigate } from 'react-router-dom';
import { Figures, PageHeader } from '../../../../components/page/index.tsx';
import { StatusBadge } from '../../../../components/status-badge/index.tsx';
import { Badge } from '../../../../components/ui/badge.tsx';
import { Button } from '../../../../components/ui/button.tsx';
import { Menu, MenuItem, MenuSeparator } from '../../../../components/ui/dropdown-menu.tsx';
import type { Undoable } from '../../../../components/undo-bar/index.tsx';
import { useCurrentUser } from '../../../../lib/auth/index.ts';
import { formatNumber } from '../../../../lib/number-format.ts';
import { useIsPast } from '../../../../lib/past/index.ts';
import { type CopyMode, statisticsQuery } from '../../api/crosswalks.ts';
import { COPY_WORDS } from './CopyDialog.tsx';
import { CrosswalkHistory } from './CrosswalkHistory.tsx';
import { CARDINALITY_RULES, CARDINALITY_WORDS, cardinalityViolation } from './definition-labels.ts';
import { CrosswalkEnds, percentText } from './MappedShare.tsx';
import { TranslateBox } from './TranslateBox.tsx';
import { HEADER_WORDS, headerRefusal, headerVerbs, isDestructive, useHeaderReview } from './useHeaderReview.tsx';

export interface MappingsHeaderProps {
  crosswalk: CrosswalkView;
  onImport: () => void;
  onCopy: (copying: CopyMode) => void;
  onUndoable: (undoable: Undoable) => void;
}

export function MappingsHeader({ crosswalk, onImport, onCopy, onUndoable }: MappingsHeaderProps) {
  const navigate = useNavigate();
  const user = useCurrentUser();
  const [history, setHistory] = useState(false);
  const isPast = useIsPast();
  const statistics = useQuery({ ...statisticsQuery(crosswalk.id), enabled: !isPast });
  const review = useHeaderReview(onUndoable);
  const mayWrite = hasLevel(crosswalk.level, 'WRITE');
  const verbs = mayWrite ? headerVerbs(crosswalk) : [];
  const first = verbs.find((verb) => headerRefusal(verb, crosswalk, user.id) === undefined && !isDestructive(verb));
  const reason = waitingReason(crosswalk);
  const served = {
    label: crosswalk.isServed ? 'Served values' : 'Approved values, not served yet',
    value: formatNumber(crosswalk.counts.served),
  };
  const departs = statistics.data && cardinalityViolation(crosswalk, statistics.data);

  return (
    <>
      <Link
        to="/crosswalks"
        className="mb-1 inline-flex items-center gap-1 self-start text-muted text-sm hover:text-ink"
      >
        <ChevronLeft aria-hidden="true" className="size-4" />
        Crosswalks
      </Link>
      <PageHeader
        title={
          <span className="flex flex-wrap items-center gap-x-3 gap-y-1">
            {crosswalk.name}
            <StatusBadge status={crosswalk.approvalStatus}>
              {crosswalk.deletionRequested ? 'Deletion pending' : HEADER_STATUS[crosswalk.approvalStatus]}
            </StatusBadge>
            <Badge className="font-normal" title={CARDINALITY_RULES[crosswalk.cardinality]}>
              {CARDINALITY_WORDS[crosswalk.cardinality]}
            </Badge>
          </span>
        }
        description={
          <>
            <CrosswalkEnds crosswalk={crosswalk} />
            {reason !== undefined && <span className="block">{reason}</span>}
            {departs !== undefined && (
              <span className="flex items-center gap-1 text-pending-text">
                <TriangleAlert aria-hidden="true" className="size-3.5 shrink-0" />
                {departs}
              </span>
            )}
          </>
        }
        actions={
          <>
            <TranslateBox crosswalk={crosswalk} />
            {first !== undefined && (
              <Button
                variant={first === 'approve' ? 'primary' : 'secondary'}
                onClick={() => review.openDialog(first, crosswalk)}
              >
                {HEADER_WORDS[first].action}
              </Button>
            )}
            {mayWrite && (
              <Button onClick={onImport}>
                <FileUp />
                Import
              </Button>
            )}
            <Menu
              trigger={
                <Button size="icon" aria-label="More actions of the crosswalk">
                  <MoreVertical />
                </Button>
              }
            >
              <MenuItem
                disabled={crosswalk.level !== 'ADMIN'}
                onSelect={() => void navigate(`/crosswalks/${crosswalk.id}/edit`)}
              >
                <Pencil />
                <span>
                  Edit
                  {crosswalk.level !== 'ADMIN' && (
                    <span className="block text-xs">Editing needs ADMIN on the source data set</span>
                  )}
                </span>
              </MenuItem>
              <MenuItem onSelect={() => void navigate(`/missing-mappings?crosswalk=${crosswalk.id}`)}>
                <CircleHelp />
                Missing mappings
              </MenuItem>
              <MenuItem onSelect={() => void navigate(`/crosswalk/comparison/${crosswalk.targetSystemId}`)}>
                <Columns3 />
                Compare the sources of {crosswalk.targetName}
              </MenuItem>
              {mayWrite && (
                <MenuItem onSelect={() => onCopy('duplicate')}>
                  <Copy />
                  {COPY_WORDS.duplicate.action}
                </MenuItem>
              )}
              {!isPast && (
                <MenuItem onSelect={() => onCopy('reverse')}>
                  <ArrowRightLeft />
                  {COPY_WORDS.reverse.action}
                </MenuItem>
              )}
              <MenuItem onSelect={() => setHistory(true)}>
                <History />
                History
              </MenuItem>
              {verbs.length > 0 && <MenuSeparator />}
              {verbs.map((verb) => {
                const unavailable = headerRefusal(verb, crosswalk, user.id);
                return (
                  <MenuItem
                    key={verb}
                    disabled={unavailable !== undefined}
                    className={isDestructive(verb) ? 'text-danger-text' : ''}
                    onSelect={() => review.openDialog(verb, crosswalk)}
                  >
                    <span>
                      {HEADER_WORDS[verb].action}
                      {unavailable !== undefined && <span className="block text-xs">{unavailable}</span>}
                    </span>
                  </MenuItem>
                );
              })}
            </Menu>
          </>
        }
      />
      <Figures
        figures={
          isPast
            ? [served]
            : [
                { label: 'Mapped', value: percentText(crosswalk.mappedPercent) },
                {
                  label: 'Source rows',
                  value: statistics.data === undefined ? '–' : formatNumber(statistics.data.sourceRows),
                },
                served,
                {
                  label: 'Missing requests',
                  value: !crosswalk.missingCount ? (
                    '0'
                  ) : (
                    <Link to={`/missing-mappings?crosswalk=${crosswalk.id}`} className="text-accent hover:underline">
                      {formatNumber(crosswalk.missingCount)}
                    </Link>
                  ),
                },
                {
                  label: 'One-to-many',
                  value: statistics.data === undefined ? '–' : formatNumber(statistics.data.ambiguousSources),
                },
                {
                  label: 'Served, source gone',
                  value: (
                    <Broken
                      count={statistics.data?.brokenSources}
                      to={`/reference-data/${crosswalk.sourceSystemId}/integrity?kind=BROKEN_SOURCE`}
                    />
                  ),
                },
                {
                  label: 'Served, target gone',
                  value: (
                    <Broken
                      count={statistics.data?.brokenTargets}
                      to={`/crosswalks/${crosswalk.id}/mappings?tab=broken`}
                    />
                  ),
                },
              ]
        }
      />
      {review.dialog}
      {history && <CrosswalkHistory crosswalk={crosswalk} onClose={() => setHistory(false)} />}
    </>
  );
}

/** The number of approved mappings with a missing source or target value, as a link if there are any. */
function Broken({ count, to }: { count: number | undefined; to: string }) {
  if (count === undefined) return '–';
  if (count === 0) return '0';
  return (
    <Link to={to} className="text-accent hover:underline">
      {formatNumber(count)}
    </Link>
  );
}

const HEADER_STATUS = { DRAFT: 'Draft', PENDING: 'Pending', APPROVED: 'Approved', REJECTED: 'Rejected' } as const;

/** Why approved mappings may not be used for translations. */
function waitingReason({ isServed, approvalStatus, counts }: CrosswalkView): string | undefined {
  if (isServed) return undefined;
  if (approvalStatus === 'PENDING') return 'Approved values serve once the crosswalk itself is approved.';
  if (approvalStatus === 'DRAFT' && counts.draft + counts.pending + counts.approved > 0) {
    return 'The crosswalk is submitted with its first values, and serves once it is approved.';
  }
  return undefined;
}
