/** Replay: the events of one entity or stream, step by step, with the state after each event and its changes. */
import { actorText } from '@rdm/contracts/access/acting-key';
import type { ReplayStep } from '@rdm/contracts/audit/audit-log-view';
import { flatten } from '@rdm/contracts/audit/named-values';
import { isSignUp } from '@rdm/contracts/audit/sentence-words';
import { useQuery } from '@tanstack/react-query';
import { ArrowLeft, ChevronLeft, ChevronRight } from 'lucide-react';
import { parseAsInteger, parseAsString, useQueryStates } from 'nuqs';
import { useEffect, useRef } from 'react';
import { Link } from 'react-router-dom';
import { EmptyState, ErrorState } from '../../../components/empty-state/index.tsx';
import { PageHeader } from '../../../components/page/index.tsx';
import { RelativeTime } from '../../../components/timeline/index.tsx';
import { Button } from '../../../components/ui/button.tsx';
import { cn } from '../../../components/ui/cn.ts';
import { Skeleton } from '../../../components/ui/skeleton.tsx';
import { Switch } from '../../../components/ui/switch.tsx';
import { usePeople } from '../../../lib/auth/people.ts';
import { isShortcut, useWindowKey } from '../../../lib/shortcuts/index.ts';
import { REPLAY_STEPS_MAX, replayKey, replayQuery } from '../api/audit.ts';
import { Instant } from '../components/columns.tsx';
import { PathTable } from '../components/PathTable.tsx';
import { type ReplayNames, rowNameIn, useReplayNames } from '../components/replay-names.tsx';
import { compareStates, isChanged } from '../components/state-diff.ts';
import { actionWords, hasManyEntities, replayedUser, streamWords, subjectWords } from '../components/subjects.ts';
import { useNewEntries } from '../components/useNewEntries.ts';

const LINK = {
  entity: parseAsString,
  stream: parseAsString,
  /** The number of the displayed event, counted from 1 over all events. */
  step: parseAsInteger,
  /** 1 if unchanged paths are displayed. */
  all: parseAsInteger,
};

export default function Replay() {
  const [link, setLink] = useQueryStates(LINK);
  const subject = { entity: link.entity || undefined, stream: link.stream || undefined };
  const requestedStep = Math.max(1, link.step ?? 1);
  const offset = Math.floor((requestedStep - 1) / REPLAY_STEPS_MAX) * REPLAY_STEPS_MAX;
  const { data: steps, error, refetch } = useQuery(replayQuery(subject, offset));
  // The state before the first step of a page is the state after the last step of the previous page.
  const previousSteps = useQuery({ ...replayQuery(subject, offset - REPLAY_STEPS_MAX), enabled: offset > 0 });
  useNewEntries(replayKey);
  const stepIndex = Math.min(requestedStep - offset, steps?.length ?? 0) - 1;
  const before = stepIndex > 0 ? steps?.[stepIndex - 1]?.state : previousSteps.data?.at(-1)?.state;
  const names = useReplayNames(steps ?? [], stepIndex, before, replayedUser(subject));
  const subjectText =
    subject.entity !== undefined
      ? subjectWords(subject.entity, names.of, rowNameIn(steps?.findLast(({ state }) => state !== null)?.state))
      : subject.stream && streamWords(subject.stream, names.of);

  return (
    <div className="flex min-h-0 flex-1 flex-col">
      <PageHeader
        title={subjectText === undefined ? 'Replay' : `Replay of ${subjectText}`}
        description="Each event with the state after it, computed from the log."
        actions={
          <Button asChild variant="ghost">
            <Link to="/audit-logs">
              <ArrowLeft />
              Back to the audit logs
            </Link>
          </Button>
        }
      />
      {subjectText === undefined ? (
        <EmptyState
          title="Nothing to replay"
          description="Choose an entry of the audit log and replay its entity."
          action={
            <Button asChild variant="primary">
              <Link to="/audit-logs">Open the audit logs</Link>
            </Button>
          }
        />
      ) : error !== null && steps === undefined ? (
        <ErrorState title="The replay could not be loaded" error={error} onRetry={() => void refetch()} />
      ) : steps === undefined ? (
        <Skeleton className="w-1/3" />
      ) : (
        <Steps
          steps={steps}
          offset={offset}
          before={before}
          stepIndex={stepIndex}
          names={names}
          isCompared={subject.entity !== undefined || !hasManyEntities(subject.stream ?? '')}
          onStep={(step) => void setLink({ step: step === 1 ? null : step })}
          showsUnchanged={link.all === 1}
          onShowUnchanged={(isOn) => void setLink({ all: isOn ? 1 : null })}
        />
      )}
    </div>
  );
}

interface StepsProps {
  steps: readonly ReplayStep[];
  /** The number of steps before the first of `steps`. */
  offset: number;
  /** The state before the displayed step. */
  before: unknown;
  /** The index of the displayed step in `steps`. */
  stepIndex: number;
  names: ReplayNames;
  /** Whether each state is compared with the state before, because all steps belong to the same entity. */
  isCompared: boolean;
  onStep: (step: number) => void;
  /** Whether unchanged paths are displayed. */
  showsUnchanged: boolean;
  onShowUnchanged: (isOn: boolean) => void;
}

function Steps(props: StepsProps) {
  const { steps, offset, before, stepIndex, names, isCompared, onStep, showsUnchanged, onShowUnchanged } = props;
  const nameOf = usePeople(steps.map(actorIdOf));
  const step = steps[Math.max(0, stepIndex)];
  const first = offset + 1;
  const last = offset + steps.length;
  const current = first + Math.max(0, stepIndex);
  const mayBeMore = steps.length === REPLAY_STEPS_MAX;
  const previous = () => current > 1 && onStep(current - 1);
  const next = () => (current < last || mayBeMore) && onStep(current + 1);

  useWindowKey((event) => {
    if (!isShortcut(event)) return;
    if (event.key === 'ArrowLeft') previous();
    else if (event.key === 'ArrowRight') next();
    else return;
    event.preventDefault();
  });

  if (step === undefined) {
    return (
      <EmptyState
        title="There are no more steps"
        action={<Button onClick={() => onStep(1)}>Back to the first step</Button>}
      />
    );
  }
  const paths = compareStates(isCompared ? before : step.state, step.state);
  const changed = paths.filter(isChanged);
  const unchangedCount = paths.length - changed.length;
  return (
    <>
      <div className="mb-4 flex flex-wrap items-center gap-3 rounded-md border border-hairline bg-surface px-3 py-2">
        <Button disabled={current <= 1} onClick={previous} aria-keyshortcuts="ArrowLeft">
          <ChevronLeft />
          Previous
        </Button>
        <input
          type="range"
          min={first}
          max={last}
          value={current}
          aria-label="Step"
          aria-valuetext={`Step ${current} of ${last}: ${actionWords(step.type)}`}
          className="order-last min-w-40 flex-1 basis-full accent-accent sm:order-none sm:basis-0"
          onChange={(event) => onStep(Number(event.target.value))}
        />
        <p role="status" className="tabular-nums">
          Step {current} of {last}
          {mayBeMore && '+'}
        </p>
        <Button disabled={current >= last && !mayBeMore} onClick={next} aria-keyshortcuts="ArrowRight">
          Next
          <ChevronRight />
        </Button>
      </div>
      <div className="grid min-h-0 flex-1 items-start gap-4 lg:grid-cols-[16rem_minmax(0,1fr)_minmax(0,1.2fr)]">
        <StepList steps={steps} first={first} current={current} nameOf={nameOf} onStep={onStep} />
        <section aria-labelledby="event" className="rounded-md border border-hairline bg-surface p-3">
          <h2 id="event" className="font-semibold text-base">
            {actionWords(step.type)}
          </h2>
          <p className="mb-3 text-muted text-xs">
            {actorText(nameOf(actorIdOf(step)), step)} · <Instant at={step.occurredAt} />
            {revisionIn(step.state) !== undefined && (
              <>
                {' '}
                · version <span className="font-mono">{revisionIn(step.state)}</span>
              </>
            )}
            {step.seq > 0 && (
              <>
                {' '}
                ·{' '}
                <Link to={entryOf(step)} className="text-accent underline underline-offset-2">
                  entry {step.seq}
                </Link>
              </>
            )}
          </p>
          <h3 className="mb-1 font-medium">Event data</h3>
          <PathTable
            plain
            label="Event data"
            empty="This event has no data."
            format={names}
            paths={Object.entries(flatten(step.data)).map(([path, value]) => ({ path, before: value, after: value }))}
          />
        </section>
        <section aria-labelledby="state" className="rounded-md border border-hairline bg-surface p-3">
          <div className="mb-3 flex flex-wrap items-center justify-between gap-2">
            <h2 id="state" className="font-semibold text-base">
              State after this event
            </h2>
            {isCompared && <Switch label="Show unchanged" checked={showsUnchanged} onCheckedChange={onShowUnchanged} />}
          </div>
          <PathTable
            plain={!isCompared}
            label="State after the event"
            format={names}
            paths={showsUnchanged || !isCompared ? paths : changed}
            empty={step.state === null ? 'There is no state to show.' : 'This event did not change the state.'}
          />
          {isCompared && !showsUnchanged && unchangedCount > 0 && (
            <p className="mt-2 text-muted text-xs">
              {unchangedCount} more {unchangedCount === 1 ? 'value is' : 'values are'} unchanged.
            </p>
          )}
        </section>
      </div>
    </>
  );
}

/** The actor of a step; for a sign-up, the new user. */
const actorIdOf = ({ type, actorId, sourceType, data }: ReplayStep): number | null =>
  isSignUp({ action: type, userId: actorId, sourceType }) ? (data as { userId: number }).userId : actorId;

/** The revision of the entity or row; jobs and users have none. */
const revisionIn = (state: unknown) => (state as { revision?: number } | null)?.revision;

const entryOf = ({ seq }: ReplayStep): string =>
  `/audit-logs?filter=${encodeURIComponent(
    JSON.stringify({ logic: 'AND', conditions: [{ field: 'seq', operator: 'equals', value: seq }] }),
  )}`;

interface StepListProps {
  steps: readonly ReplayStep[];
  first: number;
  current: number;
  nameOf: (id: number | null) => string;
  onStep: (step: number) => void;
}

function StepList({ steps, first, current, nameOf, onStep }: StepListProps) {
  const list = useRef<HTMLOListElement>(null);
  useEffect(() => {
    list.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest' });
  }, [current]);
  return (
    <ol
      ref={list}
      aria-label="Steps"
      className="hidden max-h-[60vh] overflow-y-auto rounded-md border border-hairline bg-surface py-1 lg:block"
    >
      {steps.map((step, index) => {
        const number = first + index;
        return (
          <li key={step.revision}>
            <button
              type="button"
              aria-current={number === current ? 'step' : undefined}
              onClick={() => onStep(number)}
              className={cn(
                'flex w-full gap-2 border-transparent border-l-2 px-2 py-1.5 text-left hover:bg-hover focus-visible:-outline-offset-2',
                number === current && 'border-accent bg-accent-soft',
              )}
            >
              <span className="w-6 shrink-0 text-right font-mono text-muted text-xs leading-5">{number}</span>
              <span className="min-w-0">
                <span className="block truncate">{actionWords(step.type)}</span>
                <span className="block truncate text-muted text-xs">
                  {actorText(nameOf(actorIdOf(step)), step)} · <RelativeTime at={step.occurredAt} />
                </span>
              </span>
            </button>
          </li>
        );
      })}
    </ol>
  );
}
