/**
 * Imports a file step by step. The URL contains the draft, the step and the job, and the server stores the draft, so
 * that the import continues at the same step after a reload or on another device.
 */
import { hasLevel } from '@rdm/contracts/access/permissions';
import { Link, useNavigate } from 'react-router-dom';
import { EmptyState, ErrorState } from '../../../components/empty-state/index.tsx';
import { NotLoaded } from '../../../components/empty-state/not-loaded.tsx';
import { useFileDrop } from '../../../components/file-input/index.tsx';
import { Button } from '../../../components/ui/button.tsx';
import { cn } from '../../../components/ui/cn.ts';
import { Skeleton } from '../../../components/ui/skeleton.tsx';
import { CheckStep } from './CheckStep.tsx';
import { ContentStep } from './ContentStep.tsx';
import { FileStep } from './FileStep.tsx';
import { JobPanel } from './JobPanel.tsx';
import { Stepper } from './Stepper.tsx';
import { STEPS } from './steps.ts';
import { useImportWizard } from './use-import-wizard.ts';

/** With `dataSetId`, the target is this data set and cannot be changed. */
export function ImportWizard({ dataSetId: pageDataSetId }: { dataSetId?: number }) {
  const navigate = useNavigate();
  const { link, setLink, draft, change, target, resolved, step, reachable, isLoading, isDraftMissing, ...wizard } =
    useImportWizard(pageDataSetId);
  const { busy, problem, check, upload, start, goTo } = wizard;
  const mayWrite = target.dataSet === undefined || hasLevel(target.dataSet.level, 'WRITE');
  const isOver = useFileDrop({ disabled: busy !== undefined || !mayWrite, onFile: (file) => void upload(file) });

  if (pageDataSetId !== undefined && target.dataSet === undefined) {
    if (target.error === null) return <Skeleton className="w-1/3" />;
    return (
      <NotLoaded
        noun="data set"
        error={target.error}
        onRetry={target.refetch}
        list={{ to: '/reference-data', label: 'All data sets' }}
      />
    );
  }
  if (isLoading) return <Skeleton className="w-1/3" />;
  if (pageDataSetId !== undefined && !mayWrite && link.job === null) return <MayNotImport dataSetId={pageDataSetId} />;
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
        openable={new Set(step === 'result' ? [] : reachable)}
        onOpen={(nextStep) => nextStep !== step && goTo(nextStep)}
      />
      {target.error !== null && draft !== undefined && pageDataSetId === undefined && (
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
          dataSet={pageDataSetId === undefined ? undefined : target.dataSet}
          draft={draft}
          isUploading={busy === 'uploading'}
          isOver={isOver}
          problem={problem ?? (isDraftMissing ? 'This draft could not be loaded: choose the file again.' : undefined)}
          onFile={(file) => void upload(file)}
          onDraft={(draftId) => {
            // A draft has its own target, so it continues in the onboarding wizard, not on the page of this data set.
            if (pageDataSetId !== undefined) void navigate(`/onboarding?import=${draftId}`);
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
          dataSet={pageDataSetId === undefined ? undefined : target.dataSet}
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
          isStarting={busy === 'starting'}
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
          onNewImport={() => void setLink({ job: null, import: null, step: null })}
        />
      )}
    </div>
  );
}

function MayNotImport({ dataSetId }: { dataSetId: number }) {
  return (
    <EmptyState
      title="You may not import here"
      description="Importing needs WRITE on the data set: contact one of its administrators."
      action={
        <Button asChild>
          <Link to={`/reference-data/${dataSetId}`}>Back to the rows of the data set</Link>
        </Button>
      }
    />
  );
}
