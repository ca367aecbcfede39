/**
 * The import of a file step by step. The address contains draft, step and job, and the server keeps the draft, so that a
 * reload or another device continues at the same step.
 */
import { hasLevel } from '@rdm/contracts/access/permissions';
import type { DataSetView } from '@rdm/contracts/data-sets/data-sets';
import { type ImportDraft, isOfReviewedRows } from '@rdm/contracts/imports/drafts';
import { resolveDraft, type TargetFields } from '@rdm/contracts/imports/resolve-draft';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { parseAsInteger, parseAsString, parseAsStringLiteral, useQueryStates } from 'nuqs';
import { useEffect, useState } from 'react';
import { Link } from 'react-router-dom';
import { EmptyState } from '../../../components/empty-state/index.tsx';
import { NotLoaded } from '../../../components/empty-state/not-loaded.tsx';
import { Button } from '../../../components/ui/button.tsx';
import { Skeleton } from '../../../components/ui/skeleton.tsx';
import { dataSetQuery, fieldsQuery } from '../../../lib/data-sets/index.ts';
import { messageOf } from '../../../lib/messages/index.ts';
import { changeDraft, draftKey, draftsKey, isChecking, startDraft, uploadDraft, validateDraft } from '../api/drafts.ts';
import { CheckStep } from './CheckStep.tsx';
import { ContentStep } from './ContentStep.tsx';
import { FileStep } from './FileStep.tsx';
import { JobPanel } from './JobPanel.tsx';
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
  const [link, setLink] = useQueryStates(LINK, { history: 'push' });
  const { draft, error, change } = useDraft(link.import);
  const { busy, problem, forgetProblem, run } = useRequest();
  const target = useTarget(draft, given);

  const resolved =
    draft?.format != null && target.isLoaded
      ? resolveDraft(
          { columns: draft.profiles, key: draft.key, label: draft.label, questions: draft.questions },
          draft.settings,
          draft.fileName,
          target.fields,
        )
      : undefined;
  const known = {
    file: resolved !== undefined && draft?.state !== 'REFUSED',
    content: resolved?.open.length === 0 && draft?.state === 'READY' && !isOfReviewedRows(resolved.target),
    job: link.job !== null,
  };
  const step = stepToShow(link.step, known);
  const reachable = STEPS.slice(0, STEPS.indexOf(lastOpenStep(known)) + 1);
  const id = draft?.id;

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
    await run('uploading', async () => {
      let uploaded = await uploadDraft(file, id);
      if (given !== undefined) {
        uploaded = await changeDraft(uploaded, { target: { kind: 'dataSet', dataSetId: given } });
      }
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
    forgetProblem();
    void setLink({ step: next });
  }

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
  const mayWrite = target.dataSet === undefined || hasLevel(target.dataSet.level, 'WRITE');
  if (given !== undefined && !mayWrite && link.job === null) return <MayNotImport dataSetId={given} />;
  const lost = link.import !== null && error !== null && draft === undefined;
  return (
    <div className="flex flex-1 flex-col">
      <Stepper
        steps={STEPS}
        current={step}
        open={new Set(step === 'result' ? [] : reachable)}
        onOpen={(opened) => opened !== step && goTo(opened)}
      />
      {step === 'file' && (
        <FileStep
          dataSet={given === undefined ? undefined : target.dataSet}
          draft={draft}
          uploading={busy === 'uploading'}
          problem={problem ?? (lost ? 'This draft does not exist any more: choose the file again.' : undefined)}
          onFile={(file) => void upload(file)}
          onDraft={(draftId) => void setLink({ import: draftId, step: null, job: null })}
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
    error: dataSet.error,
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
  const forgetProblem = () => setProblem(undefined);

  async function run(as: Request, request: () => Promise<void>) {
    forgetProblem();
    setBusy(as);
    try {
      await request();
    } catch (error) {
      setProblem(messageOf(error));
    } finally {
      setBusy(undefined);
    }
  }

  return { busy, problem, forgetProblem, run };
}

function MayNotImport({ dataSetId }: { dataSetId: number }) {
  return (
    <EmptyState
      title="You may not import here"
      description="Importing needs WRITE on the data set: ask one of its administrators."
      action={
        <Button asChild>
          <Link to={`/reference-data/${dataSetId}`}>Back to its rows</Link>
        </Button>
      }
    />
  );
}
