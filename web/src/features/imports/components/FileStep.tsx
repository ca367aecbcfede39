/** The file: dropped, chosen or pasted, and the previous imports. */
import type { DataSetView } from '@rdm/contracts/data-sets/data-sets';
import { useQuery } from '@tanstack/react-query';
import { ClipboardPaste, FileUp, LoaderCircle } from 'lucide-react';
import { useState } from 'react';
import { useFileInput } from '../../../components/file-input/index.tsx';
import { JobStatus } from '../../../components/job-status/index.tsx';
import { RelativeTime } from '../../../components/timeline/index.tsx';
import { Alert } from '../../../components/ui/alert.tsx';
import { Button } from '../../../components/ui/button.tsx';
import { cn } from '../../../components/ui/cn.ts';
import { Field, Textarea } from '../../../components/ui/input.tsx';
import { recentJobsQuery } from '../api/jobs.ts';
import { fileRefusal } from './file-refusal.ts';
import { NextButton, StepFrame } from './StepFrame.tsx';

export interface FileStepProps {
  dataSet: DataSetView;
  /** Name of the staged file, if there is one. */
  staged: string | undefined;
  uploading: boolean;
  problem: string | undefined;
  onFile: (file: File) => void;
  onJob: (jobId: number) => void;
  onBack: (() => void) | undefined;
  onNext: () => void;
}

export function FileStep({ dataSet, staged, uploading, problem, onFile, onJob, onBack, onNext }: FileStepProps) {
  const [refusal, setRefusal] = useState<string>();
  const [pasting, setPasting] = useState(false);
  const [pasted, setPasted] = useState('');

  const { isOver, dropArea, choose, input } = useFileInput({
    label: 'File',
    accept: '.csv,.tsv,.tab,.txt,text/csv,text/tab-separated-values,text/plain',
    onFile: take,
  });

  function take(file: File) {
    const refused = fileRefusal(file);
    setRefusal(refused);
    if (refused === undefined) onFile(file);
  }

  return (
    <StepFrame
      title="Which file?"
      description={`Rows for ${dataSet.name}, as CSV, TSV or text with another delimiter.`}
      onBack={onBack}
      next={staged !== undefined && <NextButton onClick={onNext} />}
    >
      {(refusal ?? problem) !== undefined && (
        <Alert tone="error" title="This file cannot be used">
          {refusal ?? problem}
        </Alert>
      )}
      <div
        {...dropArea}
        className={cn(
          'flex flex-col items-center gap-3 rounded-md border border-control border-dashed px-4 py-10 text-center',
          isOver && 'border-accent bg-accent-soft',
        )}
      >
        {uploading ? (
          <p role="status" className="flex flex-col items-center gap-3">
            <LoaderCircle aria-hidden="true" className="size-8 animate-spin text-accent" strokeWidth={1.5} />
            Reading the file…
          </p>
        ) : (
          <>
            <FileUp aria-hidden="true" className="size-8 text-accent" strokeWidth={1.5} />
            <p>{staged === undefined ? 'Drop a file here' : `${staged} is ready. Drop another here to replace it`}</p>
            <div className="flex flex-wrap justify-center gap-2">
              <Button variant={staged === undefined ? 'primary' : 'secondary'} onClick={choose}>
                Choose a file
              </Button>
              <Button variant="ghost" aria-expanded={pasting} onClick={() => setPasting(!pasting)}>
                <ClipboardPaste />
                Paste rows
              </Button>
            </div>
          </>
        )}
        {input}
      </div>
      {pasting && !uploading && (
        <div className="flex flex-col items-start gap-2">
          <Field label="Rows" hint="The first line names the columns." className="w-full">
            {(control) => (
              <Textarea
                {...control}
                rows={6}
                className="font-mono"
                spellCheck={false}
                value={pasted}
                onChange={(event) => setPasted(event.target.value)}
              />
            )}
          </Field>
          <Button
            disabled={pasted.trim() === ''}
            onClick={() => take(new File([pasted], 'pasted-rows.csv', { type: 'text/csv' }))}
          >
            Use these rows
          </Button>
        </div>
      )}
      <RecentImports dataSetId={dataSet.id} onJob={onJob} />
    </StepFrame>
  );
}

function RecentImports({ dataSetId, onJob }: { dataSetId: number; onJob: (jobId: number) => void }) {
  const { data = [] } = useQuery(recentJobsQuery(dataSetId));
  if (data.length === 0) return null;
  return (
    <section aria-labelledby="recent">
      <h3 id="recent" className="mb-1 font-medium">
        Recent imports
      </h3>
      <ul className="divide-y divide-hairline border-hairline border-y">
        {data.map((job) => (
          <li key={job.jobId} className="flex flex-wrap items-center gap-x-4 gap-y-1 py-1.5">
            <button
              type="button"
              className="min-w-0 flex-1 truncate text-left text-accent underline-offset-2 hover:underline"
              onClick={() => onJob(job.jobId)}
            >
              {job.description}
            </button>
            <JobStatus status={job.status} publishing={job.publishing} />
            <span className="text-muted text-xs">{job.startTime !== null && <RelativeTime at={job.startTime} />}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}
