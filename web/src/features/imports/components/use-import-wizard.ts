/** The state of the import wizard: the draft in the URL, its target, the step, and the requests of the steps. */
import type { DataSetView } from '@rdm/contracts/data-sets/data-sets';
import { type ImportDraft, isOfReviewedRows } from '@rdm/contracts/imports/drafts';
import { type ResolvedDraft, resolveDraft, type TargetFields } from '@rdm/contracts/imports/resolve-draft';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { parseAsInteger, parseAsString, parseAsStringLiteral, useQueryStates } from 'nuqs';
import { useEffect, useRef, useState } from 'react';
import { dataSetQuery, fieldsQuery } from '../../../lib/data-sets/index.ts';
import { messageOf } from '../../../lib/messages/index.ts';
import { draftKey, draftsKey, isChecking, startDraft, uploadDraft, validateDraft } from '../api/drafts.ts';
import { fileRefusal } from './file-refusal.ts';
import { STEP_HEADING_ID } from './StepFrame.tsx';
import { lastOpenStep, STEPS, type Step, stepToShow } from './steps.ts';
import { useDraft } from './use-draft.ts';

const URL_PARAMETERS = {
  import: parseAsString,
  step: parseAsStringLiteral(STEPS),
  job: parseAsInteger,
};

/** With `pageDataSetId`, the target is always the data set with this id. */
export function useImportWizard(pageDataSetId: number | undefined) {
  const queries = useQueryClient();
  const [link, setLink] = useQueryStates(URL_PARAMETERS, { history: 'push' });
  const { draft, error, change, changesSaved } = useDraft(link.import);
  const { busy, problem, setProblem, run } = useRequest();
  const target = useTarget(draft, pageDataSetId);
  const id = draft?.id;

  const currentResolved =
    draft?.format != null && target.isLoaded
      ? resolveDraft(
          { columns: draft.profiles, key: draft.key, label: draft.label, questions: draft.questions },
          draft.settings,
          draft.fileName,
          target.fields,
        )
      : undefined;
  // While the fields of a new target load, the step shows the draft with the fields of the previous target.
  const lastResolved = useRef<{ id: string; resolved: ResolvedDraft }>(undefined);
  if (id !== undefined && currentResolved !== undefined) lastResolved.current = { id, resolved: currentResolved };
  const resolved = currentResolved ?? (lastResolved.current?.id === id ? lastResolved.current?.resolved : undefined);
  const progress = {
    file: resolved !== undefined && draft?.state !== 'REFUSED',
    content:
      currentResolved?.open.length === 0 && draft?.state === 'READY' && !isOfReviewedRows(currentResolved.target),
    job: link.job !== null,
  };
  const step = stepToShow(link.step, progress);
  const reachable = STEPS.slice(0, STEPS.indexOf(lastOpenStep(progress)) + 1);

  // On the page of a data set, the target of the draft must be this data set.
  const hasOtherTarget =
    pageDataSetId !== undefined &&
    draft !== undefined &&
    draft.state !== 'STARTED' &&
    !(draft.settings.target?.kind === 'dataSet' && draft.settings.target.dataSetId === pageDataSetId);
  useEffect(() => {
    if (hasOtherTarget) void change({ target: { kind: 'dataSet', dataSetId: pageDataSetId } });
  }, [hasOtherTarget, id]);

  const isLoading =
    (link.import !== null && draft === undefined && error === null) ||
    (draft?.state === 'READY' && resolved === undefined && target.error === null);
  const shownStep = useRef<Step>(undefined);
  useEffect(() => {
    if (isLoading) return;
    const isChanged = shownStep.current !== undefined && shownStep.current !== step;
    shownStep.current = step;
    if (isChanged) document.getElementById(STEP_HEADING_ID)?.focus();
  }, [isLoading, step]);

  // Another tab may have started the import: show the job.
  const startedJob = draft?.state === 'STARTED' ? draft.jobId : null;
  useEffect(() => {
    if (startedJob === null || link.job !== null) return;
    // Replace the history entry, so that Back does not return to the draft.
    void setLink({ job: startedJob, import: null, step: null }, { history: 'replace' });
  });

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
      // A started import cannot be changed, so all changes must be saved first.
      await changesSaved();
      const { jobId } = await startDraft(id, description);
      await queries.invalidateQueries({ queryKey: ['imports', 'recent'] });
      await queries.invalidateQueries({ queryKey: draftsKey });
      await setLink({ job: jobId, import: null, step: null });
      queries.setQueryData<ImportDraft>(draftKey(id), (started) => started && { ...started, state: 'STARTED', jobId });
    });
  }

  function goTo(next: Step) {
    setProblem(undefined);
    void setLink({ step: next });
  }

  const isDraftMissing = link.import !== null && error !== null && draft === undefined;
  return {
    ...{ link, setLink, draft, change, target, resolved, step, reachable, isLoading, isDraftMissing },
    ...{ busy, problem, check, upload, start, goTo },
  };
}

/** Loads the target data set and the fields of its type. For a new data set, loads only the fields. */
function useTarget(draft: ImportDraft | undefined, pageDataSetId: number | undefined) {
  const draftTarget = draft?.settings.target;
  const dataSetId = pageDataSetId ?? (draftTarget?.kind === 'dataSet' ? draftTarget.dataSetId : undefined);
  const dataSet = useQuery(dataSetQuery(dataSetId));
  const typeId =
    dataSetId === undefined && draftTarget?.kind === 'newDataSet' ? draftTarget.typeId : dataSet.data?.typeId;
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

/** Returns the fields of a type and the key of the data set. A new data set has the key of the type. */
const targetFields = (fields: SchemaFields, keyFields: readonly string[] | undefined): TargetFields => ({
  fields,
  keyFieldIds: fields
    .filter(({ name, isPrimaryKey }) => keyFields?.includes(name) ?? isPrimaryKey)
    .map(({ fieldId }) => fieldId),
});

type Request = 'uploading' | 'checking' | 'starting';

/** Runs requests. Returns the name of the running request, and the error of the last request. */
function useRequest() {
  const [busy, setBusy] = useState<Request>();
  const [problem, setProblem] = useState<string>();

  async function run(name: Request, request: () => Promise<void>) {
    setProblem(undefined);
    setBusy(name);
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
