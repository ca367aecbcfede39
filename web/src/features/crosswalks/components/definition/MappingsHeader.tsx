/**
 * The header of a crosswalk's mappings: source and target, status, figures, and the actions on the crosswalk itself.
 */

import { hasLevel } from '@rdm/contracts/access/permissions';
import type { CrosswalkView } from '@rdm/contracts/crosswalks/crosswalks';
import { useQuery } from '@tanstack/react-query';
import { ArrowRightLeft, CircleHelp, Columns3, Copy, FileUp, Pencil, TriangleAlert } from 'lucide-react';
import { Link, useNavigate } from 'react-router-dom';
import { DefinitionHeader } from '../../../../components/definitions/header.tsx';
import { FigureLine } from '../../../../components/page/index.tsx';
import { useDefinitionReview } from '../../../../components/review/definition-review.tsx';
import { StatusBadge } from '../../../../components/status-badge/index.tsx';
import { Badge } from '../../../../components/ui/badge.tsx';
import { Button } from '../../../../components/ui/button.tsx';
import { MenuItem } from '../../../../components/ui/dropdown-menu.tsx';
import type { Undoable } from '../../../../components/undo-bar/index.tsx';
import { useCurrentUser } from '../../../../lib/auth/index.ts';
import { CARDINALITY_WORDS } from '../../../../lib/definitions/words.ts';
import { formatNumber } from '../../../../lib/number-format.ts';
import { useIsPast } from '../../../../lib/past/index.ts';
import { type CopyMode, type Statistics, statisticsQuery } from '../../api/crosswalks.ts';
import { COPY_WORDS } from './CopyCrosswalkDialog.tsx';
import { CROSSWALK } from './crosswalk-kind.ts';
import { CARDINALITY_RULES, cardinalityViolation } from './definition-labels.ts';
import { CrosswalkEnds, percentText, shareHint } from './MappedShare.tsx';
import { TranslateBox } from './TranslateBox.tsx';

export interface MappingsHeaderProps {
  crosswalk: CrosswalkView;
  onImport: () => void;
  onCopy: (mode: CopyMode) => void;
  onUndoable: (undoable: Undoable) => void;
}

export function MappingsHeader({ crosswalk, onImport, onCopy, onUndoable }: MappingsHeaderProps) {
  const user = useCurrentUser();
  const isPast = useIsPast();
  const statistics = useQuery({ ...statisticsQuery(crosswalk.id), enabled: !isPast });
  const review = useDefinitionReview(CROSSWALK, onUndoable);
  const { refusalOf, verbsOf, words } = CROSSWALK;
  const mayWrite = hasLevel(crosswalk.level, 'WRITE');
  const verbs = mayWrite ? verbsOf(crosswalk) : [];
  // Destructive verbs are menu items, never buttons.
  const firstVerb = verbs.find(
    (verb) => refusalOf(verb, crosswalk, user.id) === undefined && words[verb].destructive !== true,
  );
  const reason = waitingReason(crosswalk);
  const violation = statistics.data && cardinalityViolation(crosswalk, statistics.data);

  return (
    <>
      <DefinitionHeader
        kind={CROSSWALK}
        definition={crosswalk}
        badges={
          <>
            <StatusBadge status={crosswalk.approvalStatus}>
              {crosswalk.deletionRequested ? 'Deletion pending' : undefined}
            </StatusBadge>
            <Badge className="font-normal" title={CARDINALITY_RULES[crosswalk.cardinality]}>
              {CARDINALITY_WORDS[crosswalk.cardinality]}
            </Badge>
          </>
        }
        description={
          <>
            <CrosswalkEnds crosswalk={crosswalk} />
            {reason !== undefined && <span className="block">{reason}</span>}
            {violation !== undefined && (
              <span className="flex items-center gap-1 text-pending-text">
                <TriangleAlert aria-hidden="true" className="size-3.5 shrink-0" />
                {violation}
              </span>
            )}
          </>
        }
        actions={
          <>
            <TranslateBox crosswalk={crosswalk} />
            {firstVerb !== undefined && (
              <Button
                variant={firstVerb === 'approve' ? 'primary' : 'secondary'}
                onClick={() => review.openDialog(firstVerb, crosswalk)}
              >
                {words[firstVerb].action}
              </Button>
            )}
            {mayWrite && (
              <Button onClick={onImport}>
                <FileUp />
                Import
              </Button>
            )}
          </>
        }
        menuItems={<PageItems crosswalk={crosswalk} onCopy={onCopy} />}
        verbs={verbs}
        review={review}
      />
      <MappingFigures crosswalk={crosswalk} statistics={statistics.data} />
    </>
  );
}

/** The menu items that open another page or copy the crosswalk. */
function PageItems({ crosswalk, onCopy }: Pick<MappingsHeaderProps, 'crosswalk' | 'onCopy'>) {
  const navigate = useNavigate();
  const isPast = useIsPast();
  return (
    <>
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
      {hasLevel(crosswalk.level, 'WRITE') && (
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
    </>
  );
}

/** `statistics` is undefined while it loads and on a page of the past. */
function MappingFigures({ crosswalk, statistics }: { crosswalk: CrosswalkView; statistics: Statistics | undefined }) {
  const isPast = useIsPast();
  const served = {
    label: crosswalk.isServed ? 'Served mappings' : 'Approved mappings, not served yet',
    value: formatNumber(crosswalk.counts.served),
  };
  if (isPast) return <FigureLine figures={[served]} />;
  return (
    <FigureLine
      figures={[
        {
          label: 'Mapped (approved)',
          value: percentText(crosswalk.mappedPercent),
          hint: shareHint(crosswalk.counts),
        },
        { label: 'Source rows', value: <Count count={statistics?.sourceRows} /> },
        served,
        {
          label: 'Missing mappings',
          value: <Count count={crosswalk.missingCount ?? 0} to={`/missing-mappings?crosswalk=${crosswalk.id}`} />,
        },
        {
          label: 'Several targets',
          value: <Count count={statistics?.ambiguousSources} />,
          hint: 'Source values with several served targets',
        },
        {
          label: 'Broken source',
          hint: 'Served mappings whose source value has no row',
          value: (
            <Count
              count={statistics?.brokenSources}
              to={`/reference-data/${crosswalk.sourceSystemId}/integrity?kind=BROKEN_SOURCE`}
            />
          ),
        },
        {
          label: 'Broken target',
          hint: 'Served mappings whose target value has no row',
          value: <Count count={statistics?.brokenTargets} to={`/crosswalks/${crosswalk.id}/mappings?tab=broken`} />,
        },
      ]}
    />
  );
}

/** Shows a number as a link to the counted rows. Without rows or a page for the rows, there is no link. */
function Count({ count, to }: { count: number | undefined; to?: string }) {
  if (count === undefined) return '–';
  if (count === 0 || to === undefined) return formatNumber(count);
  return (
    <Link to={to} className="text-accent hover:underline">
      {formatNumber(count)}
    </Link>
  );
}

/** Returns why translations do not use approved mappings yet; undefined for a served or rejected crosswalk. */
function waitingReason({ isServed, approvalStatus }: CrosswalkView): string | undefined {
  if (isServed) return undefined;
  if (approvalStatus === 'PENDING') return 'Approved mappings are used once the crosswalk itself is approved.';
  // Shown even before the first mapping: a line that appears later would move the rows under the pointer.
  if (approvalStatus === 'DRAFT') {
    return 'Submitting the first mappings also submits the crosswalk. Translations use the crosswalk once approved.';
  }
  return undefined;
}
