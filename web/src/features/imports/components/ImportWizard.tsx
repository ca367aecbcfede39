/**
 * The import of a file step by step. The address contains draft, step and job, and the server keeps the draft, so that a
 * reload or another device continues at the same step.
 */
import { hasLevel } from '@rdm/contracts/access/permissions';
import type { DataSetView } from '@rdm/contracts/data-sets/data-sets';
import { type ImportDraft, isOfReviewedRows } from '@rdm/contracts/imports/drafts';
import { type ResolvedDraft, resolveDraft, type TargetFields } from '@rdm/contracts/imports/resolve-draft';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { parseAsInteger, parseAsString, parseAsStringLiteral, useQueryStates } from 'nuqs';
import { useEffect, useRef, useState } from 'react';
import { Link, useNavigate } from 'react-router-dom';
import { EmptyState, ErrorState } from '../../../components/empty-state/index.tsx';
import { NotLoaded } from '../../../components/empty-state/not-loaded.tsx';
import { useFileDrop } from '../../../components/file-input/index.tsx';
import { Button } from '../../../components/ui/button.tsx';
import { cn } from '../../../components/ui/cn.ts';
import { Skeleton } from '../../../components/ui/skeleton.tsx';
import { dataSetQuery, fieldsQuery } from '../../../lib/data-sets/index.ts';
import { messageOf } from '../../../lib/messages/index.ts';
import { draftKey, draftsKey, isChecking, startDraft, uploadDraft, validateDraft } from '../api/drafts.ts';
import { CheckStep } from './CheckStep.tsx';
import { ContentStep } from './ContentStep.tsx';
import { FileStep } from './FileStep.tsx';
import { fileRefusal } from './file-refusal.ts';
import { JobPanel } from './JobPanel.tsx';
import { STEP_HEADING } from './StepFrame.tsx';
import { Stepper } from './Stepper.tsx';
import { lastOpenStep, STEPS, type Step, stepToShow } from './steps.ts';
import { useDraft } from './use-draft.ts';

const LINK = {
  import: parseAsString,
  step: parseAsStringLiteral(STEPS),
  job: parseAsInteger,
};

/** With `dataSetId` the target is given. */
export function ImportWizard({ dataSetId: given }: { dataSetId?: number }) {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const [link, setLink] = useQueryStates(LINK, { history: 'push' });
  const { draft, error, change } = useDraft(link.import);
  const { busy, problem, setProblem, run } = useRequest();
  const target = useTarget(draft, given);
  const id = draft?.id;

  const current =
    draft?.format != null && target.isLoaded
      ? resolveDraft(
          { columns: draft.profiles, key: draft.key, label: draft.label, questions: draft.questions },
          draft.settings,
          draft.fileName,
          target.fields,
        )
      : undefined;
  // While the fields of another target are loaded, the step shows the last ones.
  const last = useRef<{ id: string; resolved: ResolvedDraft }>(undefined);
  if (id !== undefined && current !== undefined) last.current = { id, resolved: current };
  const resolved = current ?? (last.current?.id === id ? last.current?.resolved : undefined);
  const known = {
    file: resolved !== undefined && draft?.state !== 'REFUSED',
    content: current?.open.length === 0 && draft?.state === 'READY' && !isOfReviewedRows(current.target),
    job: link.job !== null,
  };
  const step = stepToShow(link.step, known);
  const reachable = STEPS.slice(0, STEPS.indexOf(lastOpenStep(known)) + 1);

  // A file that was uploaded for a data set belongs to it.
  const isForeign =
    given !== undefined &&
    draft !== undefined &&
    draft.state !== 'STARTED' &&
    !(draft.settings.target?.kind === 'dataSet' && draft.settings.target.dataSetId === given);
  useEffect(() => {
    if (isForeign) void change({ target: { kind: 'dataSet', dataSetId: given } });
  }, [isForeign, id]);

  const isLoading =
    (link.import !== null && draft === undefined && error === null) ||
    (draft?.state === 'READY' && resolved === undefined && target.error === null);
  const shownStep = useRef<Step>(undefined);
  useEffect(() => {
    if (isLoading) return;
    const isChanged = shownStep.current !== undefined && shownStep.current !== step;
    shownStep.current = step;
    if (isChanged) document.getElementById(STEP_HEADING)?.focus();
  }, [isLoading, step]);

  // Another tab or device started this import: show its job.
  const startedJob = draft?.state === 'STARTED' ? draft.jobId : null;
  useEffect(() => {
    if (startedJob !== null && link.job === null) void setLink({ job: startedJob, import: null, step: null });
  });

  // Rows are checked on entry and after each change.
  const needsCheck =
    step === 'check' && draft?.state === 'READY' && !isChecking(draft) && draft.check?.revision !== draft.revision;
  const revision = draft?.revision;
  useEffect(() => {
    if (needsCheck) void check();
  }, [needsCheck, revision]);

  async function check() {
    if (id === undefined) return;
    await run('checking', async () => {
      await validateDraft(id);
      await queries.invalidateQueries({ queryKey: draftKey(id) });
    });
  }

  async function upload(file: File) {
    if (step !== 'file') await setLink({ step: 'file', job: null });
    const refusal = fileRefusal(file);
    if (refusal !== undefined) {
      setProblem(refusal);
      return;
    }
    await run('uploading', async () => {
      const uploaded = await uploadDraft(file, id);
      queries.setQueryData(draftKey(uploaded.id), uploaded);
      await queries.invalidateQueries({ queryKey: draftsKey });
      await setLink({ import: uploaded.id, step: null, job: null });
    });
  }

  async function start(description: string) {
    if (id === undefined) return;
    await run('starting', async () => {
      const { jobId } = await startDraft(id, description);
      await queries.invalidateQueries({ queryKey: ['imports', 'recent'] });
      await queries.invalidateQueries({ queryKey: draftsKey });
      await setLink({ job: jobId, import: null, step: null });
    });
  }

  function goTo(next: Step) {
    setProblem(undefined);
    void setLink({ step: next });
  }

  const mayWrite = target.dataSet === undefined || hasLevel(target.dataSet.level, 'WRITE');
  const isOver = useFileDrop({ disabled: busy !== undefined || !mayWrite, onFile: (file) => void upload(file) });

  if (given !== undefined && target.dataSet === undefined) {
    if (target.error === null) return <Skeleton className="w-1/3" />;
    return (
      <NotLoaded
        what="data set"
        error={target.error}
        onRetry={target.refetch}
        list={{ to: '/reference-data', label: 'All data sets' }}
      />
    );
  }
  if (isLoading) return <Skeleton className="w-1/3" />;
  if (given !== undefined && !mayWrite && link.job === null) return <MayNotImport dataSetId={given} />;
  const lost = link.import !== null && error !== null && draft === undefined;
  return (
    <div
      className={cn(
        'flex flex-1 flex-col rounded-md',
        isOver && 'outline-2 outline-accent outline-dashed outline-offset-4',
      )}
    >
      <Stepper
        steps={STEPS}
        current={step}
        open={new Set(step === 'result' ? [] : reachable)}
        onOpen={(opened) => opened !== step && goTo(opened)}
      />
      {target.error !== null && draft !== undefined && given === undefined && (
        <ErrorState
          title="The target of this import could not be loaded"
          error={target.error}
          actions={
            <Button onClick={() => void change({ target: null, key: null, label: null })}>Choose another target</Button>
          }
        />
      )}
      {step === 'file' && (
        <FileStep
          dataSet={given === undefined ? undefined : target.dataSet}
          draft={draft}
          uploading={busy === 'uploading'}
          isOver={isOver}
          problem={problem ?? (lost ? 'This draft does not exist any more: choose the file again.' : undefined)}
          onFile={(file) => void upload(file)}
          onDraft={(draftId) => {
            // A draft has its own target: it continues outside of this data set.
            if (given !== undefined) void navigate(`/onboarding?import=${draftId}`);
            else void setLink({ import: draftId, step: null, job: null });
          }}
          onJob={(jobId) => void setLink({ job: jobId, import: null, step: null })}
          onNext={() => goTo('content')}
        />
      )}
      {step === 'content' && draft !== undefined && resolved !== undefined && (
        <ContentStep
          draft={draft}
          resolved={resolved}
          targetFields={target.fields}
          dataSet={given === undefined ? undefined : target.dataSet}
          change={change}
          onBack={() => goTo('file')}
          onNext={() => goTo('check')}
        />
      )}
      {step === 'check' && draft !== undefined && resolved !== undefined && (
        <CheckStep
          draft={draft}
          resolved={resolved}
          targetName={
            resolved.target.kind === 'newDataSet'
              ? `the new data set ${resolved.target.name}`
              : (target.dataSet?.name ?? 'the data set')
          }
          change={change}
          starting={busy === 'starting'}
          problem={problem}
          onCheck={() => void check()}
          onBack={() => goTo('content')}
          onStart={(description) => void start(description)}
        />
      )}
      {step === 'result' && link.job !== null && (
        <JobPanel
          key={link.job}
          jobId={link.job}
          mayWrite={mayWrite}
          onJob={(jobId) => void setLink({ job: jobId })}
          onAgain={() => void setLink({ job: null, import: null, step: null })}
        />
      )}
    </div>
  );
}

/** The data set of a draft or of the page, and the fields of the target's type. */
function useTarget(draft: ImportDraft | undefined, given: number | undefined) {
  const set = draft?.settings.target;
  const dataSetId = given ?? (set?.kind === 'dataSet' ? set.dataSetId : undefined);
  const dataSet = useQuery(dataSetQuery(dataSetId));
  const typeId = dataSetId === undefined && set?.kind === 'newDataSet' ? set.typeId : dataSet.data?.typeId;
  const fields = useQuery(fieldsQuery(typeId));
  const needsType = dataSetId !== undefined || typeId !== undefined;
  return {
    dataSet: dataSet.data as DataSetView | undefined,
    error: dataSet.error ?? fields.error,
    refetch: () => void dataSet.refetch(),
    fields: fields.data && targetFields(fields.data, dataSet.data?.primaryKeyFields),
    isLoaded: !needsType || fields.data !== undefined,
  };
}

type SchemaFields = readonly (TargetFields['fields'][number] & { isPrimaryKey: boolean })[];

/** The fields of a type, with the key of the data set or, for a new one, of the type. */
const targetFields = (fields: SchemaFields, keyFields: readonly string[] | undefined): TargetFields => ({
  fields,
  keyFieldIds: fields
    .filter(({ name, isPrimaryKey }) => keyFields?.includes(name) ?? isPrimaryKey)
    .map(({ fieldId }) => fieldId),
});

type Request = 'uploading' | 'checking' | 'starting';

/** One request at a time: which one runs, and why the last one failed. */
function useRequest() {
  const [busy, setBusy] = useState<Request>();
  const [problem, setProblem] = useState<string>();

  async function run(as: Request, request: () => Promise<void>) {
    setProblem(undefined);
    setBusy(as);
    try {
      await request();
    } catch (error) {
      setProblem(messageOf(error));
    } finally {
      setBusy(undefined);
    }
  }

  return { busy, problem, setProblem, run };
}

function MayNotImport({ dataSetId }: { dataSetId: number }) {
  return (
    <EmptyState
      title="You may not import here"
      description="Importing needs WRITE on the data set: contact one of its administrators."
      action={
        <Button asChild>
          <Link to={`/reference-data/${dataSetId}`}>Back to its rows</Link>
        </Button>
      }
    />
  );
}
