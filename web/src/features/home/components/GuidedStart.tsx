/**
 * The guided start: the steps that the user's role and levels allow, ticked when done. Another user does the step
 * `approve`.
 */
import type { FirstAct, HomeView } from '@rdm/contracts/home/home';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { CircleCheck, CircleDashed, X } from 'lucide-react';
import { Link } from 'react-router-dom';
import { notify } from '../../../components/toast/index.ts';
import { Button } from '../../../components/ui/button.tsx';
import { messageOf } from '../../../lib/messages/index.ts';
import { changeHome, homeQuery } from '../api/home.ts';

interface Step {
  title: string;
  text: string;
  to: string;
  /** The id of the help page about the task. */
  help: string;
}

const STEPS: Readonly<Record<FirstAct, Step>> = {
  import: {
    title: 'Import a list',
    text: 'Import your codes from Excel, CSV, Parquet or another format. Leading zeros are kept.',
    to: '/onboarding',
    help: 'import-a-list',
  },
  map: {
    title: 'Map a code',
    text: 'Open a crosswalk and accept a suggestion, or choose the target yourself.',
    to: '/crosswalks',
    help: 'map-codes',
  },
  submit: {
    title: 'Submit your drafts',
    text: 'Send your mappings to the approvers. Translations do not use drafts.',
    to: '/crosswalks',
    help: 'submit-for-approval',
  },
  approve: {
    title: 'Get a decision',
    text: 'An approver decides on your submission. The approvals page shows each decision as soon as it is made.',
    to: '/approvals?tab=submitted',
    help: 'statuses',
  },
  decide: {
    title: 'Decide on a submission',
    text: 'Compare before and after, then approve or reject. You never decide on your own work.',
    to: '/approvals',
    help: 'approve-changes',
  },
  translate: {
    title: 'Translate a code',
    text: 'Let your program translate a code through the API. Only approved mappings are used.',
    to: '/help/translate-codes',
    help: 'call-the-api',
  },
};

export function GuidedStart({ steps }: Pick<HomeView, 'steps'>) {
  const dismiss = useDismissal(true);
  const doneCount = steps.filter(({ doneAt }) => doneAt !== null).length;
  return (
    <section aria-labelledby="guided-start">
      <div className="mb-2 flex items-center gap-3">
        <h2 id="guided-start" className="font-semibold text-base">
          Your first steps
        </h2>
        <span className="text-muted tabular-nums">
          {doneCount} of {steps.length} done
        </span>
        <Button variant="ghost" size="sm" className="ml-auto" onClick={() => dismiss.mutate()}>
          <X aria-hidden="true" className="size-4" />
          Dismiss
        </Button>
      </div>
      <ol className="divide-y divide-hairline rounded-md border border-hairline bg-surface">
        {steps.map(({ act, doneAt }) => (
          <StepItem key={act} step={STEPS[act]} isDone={doneAt !== null} />
        ))}
      </ol>
    </section>
  );
}

function StepItem({ step, isDone }: { step: Step; isDone: boolean }) {
  const Icon = isDone ? CircleCheck : CircleDashed;
  return (
    <li className="flex items-start gap-3 px-4 py-3">
      <Icon aria-hidden="true" className={`mt-0.5 size-5 shrink-0 ${isDone ? 'text-accent' : 'text-muted'}`} />
      <span className="min-w-0 flex-1">
        <Link to={step.to} className={`font-medium underline-offset-4 hover:underline ${isDone ? 'text-muted' : ''}`}>
          {step.title}
        </Link>
        {isDone && <span className="sr-only"> (done)</span>}
        {!isDone && <span className="block text-muted">{step.text}</span>}
      </span>
      {!isDone && (
        <Link to={`/help/${step.help}`} className="shrink-0 text-accent underline-offset-4 hover:underline">
          Instructions<span className="sr-only"> for: {step.title}</span>
        </Link>
      )}
    </li>
  );
}

/** A button that shows the guided start again after its dismissal. */
export function RestoreGuide() {
  const restore = useDismissal(false);
  return (
    <Button variant="ghost" size="sm" className="self-start" onClick={() => restore.mutate()}>
      Show the first steps
    </Button>
  );
}

function useDismissal(guideDismissed: boolean) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: () => changeHome({ guideDismissed }),
    onSuccess: () =>
      queries.setQueryData(homeQuery.queryKey, (home) => (home === undefined ? home : { ...home, guideDismissed })),
    onError: (error) => notify.error(messageOf(error), { title: 'The change was not saved' }),
  });
}
