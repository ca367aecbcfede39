/**
 * The step about the content of the file: open questions, the target of the rows, the columns, and the first records.
 */
import type { DataSetView } from '@rdm/contracts/data-sets/data-sets';
import { type DraftTarget, type ImportDraft, isOfReviewedRows } from '@rdm/contracts/imports/drafts';
import type { Question } from '@rdm/contracts/imports/problems';
import type { ResolvedDraft, TargetFields } from '@rdm/contracts/imports/resolve-draft';
import { ArrowRight, LoaderCircle } from 'lucide-react';
import { useState } from 'react';
import { Link } from 'react-router-dom';
import { Alert } from '../../../components/ui/alert.tsx';
import { Button } from '../../../components/ui/button.tsx';
import { bytes } from '../../../lib/bytes.ts';
import { formatNumber } from '../../../lib/number-format.ts';
import { ColumnList } from './ColumnList.tsx';
import { Preview } from './Preview.tsx';
import { ReadSettings, SheetChoice } from './ReadSettings.tsx';
import { NextButton, StepFrame } from './StepFrame.tsx';
import { TargetChoice } from './TargetChoice.tsx';
import { changeOfNewDataSet, useNameProblems, withType } from './taken-names.ts';
import type { ChangeOfDraft } from './use-draft.ts';

export interface ContentStepProps {
  draft: ImportDraft;
  resolved: ResolvedDraft;
  targetFields: TargetFields | undefined;
  /** The only possible target on the page of a data set; undefined in the onboarding wizard. */
  dataSet: DataSetView | undefined;
  change: ChangeOfDraft;
  onBack: () => void;
  onNext: () => void;
}

export function ContentStep({ draft, resolved, targetFields, dataSet, change, onBack, onNext }: ContentStepProps) {
  const usedCount = resolved.columns.filter(({ field }) => field !== null).length;
  const unansweredTexts = new Set(resolved.questions.filter(({ answer }) => answer === null).map(({ text }) => text));
  const [isChoosing, setChoosing] = useState(false);
  const nameProblems = useNameProblems(resolved.target);
  const isReviewed = isOfReviewedRows(resolved.target);
  const isEmpty = draft.records === 0 && draft.state === 'READY';
  const warningTexts = isEmpty
    ? ['No row follows the row with the column names: choose another file, or change how this file is read']
    : [
        ...(isReviewed ? [] : resolved.open.filter((text) => !unansweredTexts.has(text))),
        ...(isChoosing ? ['Choose the data set that gets the rows'] : []),
        ...[nameProblems.type, nameProblems.collection].filter((text) => text !== undefined),
      ];
  return (
    <StepFrame
      title="How is the file read?"
      description={`${draft.fileName}: ${formatNumber(draft.records)} ${draft.records === 1 ? 'row' : 'rows'}, ${bytes(draft.size)}. ${formatNumber(usedCount)} of ${formatNumber(resolved.columns.length)} columns are used.`}
      onBack={onBack}
      next={
        isReviewed ? undefined : (
          <NextButton
            disabled={resolved.open.length > 0 || warningTexts.length > 0 || draft.state !== 'READY'}
            onClick={onNext}
          />
        )
      }
    >
      {draft.state === 'READING' && (
        <p role="status" className="flex items-center gap-2 text-muted">
          <LoaderCircle aria-hidden="true" className="size-4 animate-spin" /> Reading the file again…
        </p>
      )}
      {draft.notes.map((note) => (
        <Alert key={note} tone="info">
          {note}
        </Alert>
      ))}
      {(isReviewed ? [] : resolved.questions).map((question) => (
        <QuestionCard key={question.id} question={question} draft={draft} change={change} />
      ))}
      {warningTexts.map((text) => (
        <Alert key={text} tone="warning">
          <div className="flex flex-wrap items-center gap-2">
            {text}
            {text === nameProblems.type && (
              <UseExistingType target={resolved.target} typeId={nameProblems.typeId} change={change} />
            )}
          </div>
        </Alert>
      ))}
      <div className="grid items-start gap-4 lg:grid-cols-[19rem_minmax(0,1fr)]">
        <div className="flex flex-col gap-4">
          {dataSet === undefined ? (
            <TargetChoice
              draft={draft}
              target={resolved.target}
              nameProblems={nameProblems}
              isChoosing={isChoosing}
              onChoosing={setChoosing}
              change={change}
            />
          ) : (
            <p>
              The rows are imported into <span className="font-medium">{dataSet.name}</span>.
            </p>
          )}
          <SheetChoice draft={draft} change={change} />
          <ReadSettings draft={draft} change={change} />
        </div>
        {isOfReviewedRows(resolved.target) ? (
          <ReviewedRowsLink draft={draft} target={resolved.target} />
        ) : (
          <div className="flex min-w-0 flex-col gap-4">
            <ColumnList draft={draft} resolved={resolved} targetFields={targetFields} change={change} />
            <Preview draft={draft} resolved={resolved} />
          </div>
        )}
      </div>
    </StepFrame>
  );
}

interface UseExistingTypeProps {
  target: DraftTarget;
  typeId: number | undefined;
  change: ChangeOfDraft;
}

function UseExistingType({ target, typeId, change }: UseExistingTypeProps) {
  if (target.kind !== 'newDataSet' || typeId === undefined) return null;
  const typeChange = changeOfNewDataSet(target, (current) => withType(current, typeId));
  return <Button onClick={() => void change(typeChange)}>Use the existing type</Button>;
}

type ReviewedTarget = Extract<DraftTarget, { kind: 'crosswalk' | 'relationship' }>;

/** Links to the page that previews and imports a file of mappings or relationship values. */
function ReviewedRowsLink({ draft, target }: { draft: ImportDraft; target: ReviewedTarget }) {
  const page =
    target.kind === 'crosswalk'
      ? `/crosswalks/${target.crosswalkId}/mappings`
      : `/relationships/${target.relationshipId}/values`;
  return (
    <Alert tone="info" title="The rows of this file need an approval">
      <p className="mb-2">
        The preview shows which rows are new and which rows change. The rows become drafts, or are submitted for
        approval immediately.
      </p>
      <Button asChild variant="primary">
        <Link to={`${page}?file=${draft.id}`}>
          Show the preview
          <ArrowRight />
        </Link>
      </Button>
    </Alert>
  );
}

/** The read option of each kind of question about the whole file. An answer sets this option. */
const READ_OPTION = { encoding: 'encoding', delimiter: 'delimiter', header: 'headerRow' } as const;

function QuestionCard({ question, draft, change }: { question: Question; draft: ImportDraft; change: ChangeOfDraft }) {
  const { id, kind, text, options, answer } = question;

  function choose(value: string) {
    const option = kind in READ_OPTION ? READ_OPTION[kind as keyof typeof READ_OPTION] : undefined;
    void change({
      answers: { [id]: value },
      ...(option && {
        read: { ...draft.settings.read, [option]: option === 'headerRow' ? Number(value) : value },
      }),
    });
  }

  return (
    <fieldset className="rounded-md border border-pending bg-pending-fill p-3">
      <legend className="float-left mb-2 w-full font-medium">{text}</legend>
      <div className="clear-both flex flex-wrap gap-2">
        {options.map((choice) => (
          <Button
            key={choice.value}
            variant={choice.value === answer ? 'primary' : 'secondary'}
            aria-pressed={choice.value === answer}
            onClick={() => choose(choice.value)}
            className="h-auto max-w-full flex-col items-start whitespace-normal py-1.5 text-left"
          >
            <span>{choice.label}</span>
            {choice.examples.length > 0 && (
              <span className="break-all font-mono font-normal text-xs">{choice.examples.slice(0, 3).join('  ')}</span>
            )}
          </Button>
        ))}
      </div>
    </fieldset>
  );
}
