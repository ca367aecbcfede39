/**
 * The import of a file step by step. The URL contains data set, file and job, so that a reload continues at the same
 * step.
 */
import { hasLevel } from '@rdm/contracts/access/permissions';
import { keyedBy } from '@rdm/contracts/reference-types/reference-types';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { parseAsInteger, parseAsString, parseAsStringLiteral, useQueryStates } from 'nuqs';
import { useState } from 'react';
import { Link } from 'react-router-dom';
import { EmptyState } from '../../../components/empty-state/index.tsx';
import { NotLoaded } from '../../../components/empty-state/not-loaded.tsx';
import { Button } from '../../../components/ui/button.tsx';
import { Skeleton } from '../../../components/ui/skeleton.tsx';
import { dataSetQuery, fieldsQuery } from '../../../lib/data-sets/index.ts';
import { messageOf } from '../../../lib/messages/index.ts';
import { type ParseSettings, stagedKey, stagedQuery, startImport, uploadFile } from '../api/imports.ts';
import { ColumnsStep } from './ColumnsStep.tsx';
import { FileStep } from './FileStep.tsx';
import { JobPanel } from './JobPanel.tsx';
import { type ColumnMapping, isComplete, mappingProblems } from './mapping.ts';
import { type ImportOptions, OptionsStep } from './OptionsStep.tsx';
import { Stepper } from './Stepper.tsx';
import { lastOpenStep, STEPS, type Step, stepToShow } from './steps.ts';
import { TargetStep } from './TargetStep.tsx';

const LINK = {
  dataSet: parseAsInteger,
  file: parseAsString,
  job: parseAsInteger,
  step: parseAsStringLiteral(STEPS),
};
const STEPS_OF_ONE: readonly Step[] = STEPS.filter((step) => step !== 'target');
const NEW_OPTIONS: ImportOptions = { mode: 'insert', allOrNothing: false, description: '' };

/** With `dataSetId` the target is given, and the wizard starts with the file. */
export function ImportWizard({ dataSetId: given }: { dataSetId?: number }) {
  const queries = useQueryClient();
  const [link, setLink] = useQueryStates(LINK, { history: 'push' });
  const dataSetId = given ?? link.dataSet ?? undefined;
  const dataSet = useQuery(dataSetQuery(dataSetId));
  const keyFields = dataSet.data?.primaryKeyFields;
  const fields = useQuery({
    ...fieldsQuery(dataSet.data?.typeId),
    select: (ofType) => keyedBy(ofType, keyFields ?? []),
  });
  const staged = useQuery(stagedQuery(link.file));
  /** Kept while the page is open, to be parsed with other settings. */
  const [file, setFile] = useState<File>();
  const [chosen, setChosen] = useState<{ fileId: string; mapping: ColumnMapping }>();
  const [options, setOptions] = useState(NEW_OPTIONS);
  const { busy, problem, forgetProblem, run } = useRequest();

  const ready = staged.data?.dataSetId === dataSetId ? staged.data : undefined;
  const mapping =
    chosen !== undefined && chosen.fileId === ready?.id ? chosen.mapping : (ready?.suggestedColumns ?? {});
  const known = {
    dataSet: dataSet.data !== undefined,
    file: ready !== undefined,
    columns: fields.data !== undefined && isComplete(mappingProblems(mapping, fields.data)),
    job: link.job !== null,
  };
  const step = stepToShow(link.step, known);
  const steps: readonly Step[] = given === undefined ? STEPS : STEPS_OF_ONE;
  const reachable = steps.slice(0, steps.indexOf(lastOpenStep(known)) + 1);

  async function upload(source: File, reading: ParseSettings = {}) {
    if (dataSetId === undefined) return;
    setFile(source);
    await run('uploading', async () => {
      const view = await uploadFile(dataSetId, source, reading, link.file ?? undefined);
      queries.setQueryData(stagedKey(view.id), view);
      await setLink({ file: view.id, step: 'columns' });
    });
  }

  async function start() {
    if (ready === undefined) return;
    await run('starting', async () => {
      const { jobId } = await startImport(ready.id, { ...options, columns: { ...mapping } });
      await queries.invalidateQueries({ queryKey: ['imports', 'recent'] });
      await setLink({ job: jobId, file: null, step: null });
    });
  }

  function goTo(next: Step) {
    forgetProblem();
    void setLink({ step: next });
  }

  if (dataSetId !== undefined && dataSet.data === undefined) {
    if (dataSet.error === null) return <Skeleton className="w-1/3" />;
    return (
      <NotLoaded
        what="data set"
        error={dataSet.error}
        onRetry={() => void dataSet.refetch()}
        list={{ to: '/reference-data', label: 'All data sets' }}
      />
    );
  }
  const mayWrite = dataSet.data !== undefined && hasLevel(dataSet.data.level, 'WRITE');
  if (dataSet.data !== undefined && !mayWrite && link.job === null) return <MayNotImport dataSetId={dataSet.data.id} />;
  const lost = link.file !== null && staged.error !== null && link.job === null;
  return (
    <div className="flex flex-1 flex-col">
      <Stepper
        steps={steps}
        current={step}
        open={new Set(step === 'import' ? [] : reachable)}
        onOpen={(opened) => opened !== step && goTo(opened)}
      />
      {step === 'target' && (
        <TargetStep
          chosen={dataSetId}
          onChoose={({ id }) => {
            forgetProblem();
            void setLink({ dataSet: id, file: null, step: 'file' });
          }}
        />
      )}
      {step === 'file' && dataSet.data !== undefined && (
        <FileStep
          dataSet={dataSet.data}
          staged={ready?.fileName}
          uploading={busy === 'uploading' || (link.file !== null && staged.isPending)}
          problem={problem ?? (lost ? 'This upload does not exist any more: choose the file again.' : undefined)}
          onFile={(source) => void upload(source)}
          onJob={(jobId) => void setLink({ job: jobId, file: null, step: null })}
          onBack={given === undefined ? () => goTo('target') : undefined}
          onNext={() => goTo('columns')}
        />
      )}
      {step === 'columns' && ready !== undefined && (
        <ColumnsStep
          staged={ready}
          fields={fields.data ?? []}
          mapping={mapping}
          onMapping={(next) => setChosen({ fileId: ready.id, mapping: next })}
          onReading={file === undefined ? undefined : (reading) => void upload(file, reading)}
          rereading={busy === 'uploading'}
          problem={problem ?? (fields.error === null ? undefined : messageOf(fields.error))}
          onBack={() => goTo('file')}
          onNext={() => goTo('options')}
        />
      )}
      {step === 'options' && ready !== undefined && (
        <OptionsStep
          options={options}
          onOptions={setOptions}
          dataSetName={dataSet.data?.name ?? ''}
          fileName={ready.fileName}
          starting={busy === 'starting'}
          problem={problem}
          onBack={() => goTo('columns')}
          onStart={() => void start()}
        />
      )}
      {step === 'import' && link.job !== null && (
        <JobPanel
          key={link.job}
          jobId={link.job}
          mayWrite={dataSetId === undefined || mayWrite}
          onAgain={() => {
            setFile(undefined);
            setOptions(NEW_OPTIONS);
            void setLink({ job: null, file: null, step: null });
          }}
        />
      )}
    </div>
  );
}

/** One request at a time: which one runs, and why the last one failed. */
function useRequest() {
  const [busy, setBusy] = useState<'uploading' | 'starting'>();
  const [problem, setProblem] = useState<string>();
  const forgetProblem = () => setProblem(undefined);

  async function run(as: 'uploading' | 'starting', request: () => Promise<void>) {
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
