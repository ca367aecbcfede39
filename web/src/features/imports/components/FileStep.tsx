/**
 * The step in which the user drops or chooses a file, pastes rows, or continues a draft. On the page of a data set, it
 * also lists the most recent imports.
 */
import type { DataSetView } from '@rdm/contracts/data-sets/data-sets';
import { DRAFT_DAYS, type ImportDraft } from '@rdm/contracts/imports/drafts';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { ClipboardPaste, FileUp, LoaderCircle, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { useFileInput } from '../../../components/file-input/index.tsx';
import { JobStatus } from '../../../components/job-status/index.tsx';
import { RelativeTime } from '../../../components/timeline/index.tsx';
import { notify } from '../../../components/toast/index.ts';
import { Alert } from '../../../components/ui/alert.tsx';
import { Button } from '../../../components/ui/button.tsx';
import { cn } from '../../../components/ui/cn.ts';
import { Field, Textarea } from '../../../components/ui/input.tsx';
import { bytes } from '../../../lib/bytes.ts';
import { messageOf } from '../../../lib/messages/index.ts';
import { formatNumber } from '../../../lib/number-format.ts';
import { deleteDraft, draftsKey, draftsQuery } from '../api/drafts.ts';
import { recentJobsQuery } from '../api/jobs.ts';
import { NextButton, StepFrame } from './StepFrame.tsx';

const ACCEPTED =
  '.csv,.tsv,.tab,.txt,.xlsx,.xlsm,.json,.ndjson,.jsonl,.parquet,.ttl,.rdf,.owl,text/csv,text/tab-separated-values,text/plain,application/json,application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';

export interface FileStepProps {
  /** The data set on whose page the step is; undefined on other pages. */
  dataSet: DataSetView | undefined;
  draft: ImportDraft | undefined;
  isUploading: boolean;
  /** Whether a file is dragged over the page. */
  isOver: boolean;
  problem: string | undefined;
  onFile: (file: File) => void;
  onDraft: (id: string) => void;
  onJob: (jobId: number) => void;
  onNext: () => void;
}

export function FileStep(props: FileStepProps) {
  const { dataSet, draft, isUploading, isOver, problem, onFile, onDraft, onJob, onNext } = props;
  const [isPasting, setIsPasting] = useState(false);
  const [pastedText, setPastedText] = useState('');
  const { choose, input } = useFileInput({ label: 'File', accept: ACCEPTED, onFile });
  const isBusy = isUploading || draft?.state === 'READING';
  const isReady = draft?.state === 'READY';
  const refusal = problem ?? draft?.refusal ?? undefined;

  return (
    <StepFrame
      title="Which file?"
      description={`${dataSet === undefined ? 'Rows' : `Rows for ${dataSet.name}`}, as Excel workbook (XLSX), CSV or other delimited text, JSON, Parquet, FHIR code system or SKOS vocabulary.`}
      {...(isReady && { next: <NextButton onClick={onNext} /> })}
    >
      {refusal !== undefined && (
        <Alert
          tone="error"
          title={isReady || draft === undefined ? 'This file cannot be used' : `${draft.fileName} cannot be used`}
        >
          {refusal}
        </Alert>
      )}
      <div
        className={cn(
          'flex flex-col items-center gap-3 rounded-md border border-control border-dashed px-4 py-10 text-center',
          isOver && 'border-accent bg-accent-soft',
        )}
      >
        {isBusy ? (
          <p role="status" className="flex flex-col items-center gap-3">
            <LoaderCircle aria-hidden="true" className="size-8 animate-spin text-accent" strokeWidth={1.5} />
            <span className="max-w-full break-words">
              {isUploading ? 'Uploading the file…' : `Reading ${draft?.fileName}…`}
            </span>
          </p>
        ) : (
          <>
            <FileUp aria-hidden="true" className="size-8 text-accent" strokeWidth={1.5} />
            <p className="max-w-full break-words">
              {isReady
                ? `${draft.fileName} is ready. Drop another file to replace it.`
                : 'Drop a file anywhere on this page'}
            </p>
            <div className="flex flex-wrap justify-center gap-2">
              <Button variant={isReady ? 'secondary' : 'primary'} onClick={choose}>
                Choose a file
              </Button>
              <Button variant="ghost" aria-expanded={isPasting} onClick={() => setIsPasting(!isPasting)}>
                <ClipboardPaste />
                Paste rows
              </Button>
            </div>
          </>
        )}
        {input}
      </div>
      {isPasting && !isBusy && (
        <div className="flex flex-col items-start gap-2">
          <Field label="Rows" hint="The first line names the columns." className="w-full">
            {(control) => (
              <Textarea
                {...control}
                rows={6}
                className="font-mono"
                spellCheck={false}
                value={pastedText}
                onChange={(event) => setPastedText(event.target.value)}
              />
            )}
          </Field>
          <Button
            disabled={pastedText.trim() === ''}
            onClick={() => onFile(new File([pastedText], 'pasted rows.txt', { type: 'text/plain' }))}
          >
            Use these rows
          </Button>
        </div>
      )}
      <Drafts current={draft?.id} onDraft={onDraft} />
      {dataSet !== undefined && <RecentImports dataSetId={dataSet.id} onJob={onJob} />}
    </StepFrame>
  );
}

const DRAFTS_SHOWN = 5;

/** The user's other import drafts: files whose import has not started yet. */
function Drafts({ current, onDraft }: { current: string | undefined; onDraft: (id: string) => void }) {
  const queries = useQueryClient();
  const { data = [] } = useQuery(draftsQuery);
  const [showsAll, setShowsAll] = useState(false);
  const otherDrafts = data.filter(({ id }) => id !== current);
  const shownDrafts = showsAll ? otherDrafts : otherDrafts.slice(0, DRAFTS_SHOWN);
  if (otherDrafts.length === 0) return null;

  async function remove(id: string) {
    try {
      await deleteDraft(id);
    } catch (error) {
      notify.error(messageOf(error), { title: 'The draft was not deleted' });
    }
    await queries.invalidateQueries({ queryKey: draftsKey });
  }

  return (
    <section aria-labelledby="drafts">
      <h3 id="drafts" className="mb-1 font-medium">
        Continue with a file
      </h3>
      <p className="mb-1 text-muted text-xs">Files are kept for {DRAFT_DAYS} days after the last change.</p>
      <ul className="divide-y divide-hairline border-hairline border-y">
        {shownDrafts.map(({ id, fileName, size, records, updatedAt }) => (
          <li key={id} className="flex flex-wrap items-center gap-x-4 gap-y-1 py-1.5">
            <button
              type="button"
              className="min-w-0 flex-1 truncate text-left text-accent underline-offset-2 hover:underline max-sm:basis-full"
              onClick={() => onDraft(id)}
            >
              {fileName}
            </button>
            <span className="text-muted text-xs max-sm:flex-1">
              {records === null ? bytes(size) : `${formatNumber(records)} ${records === 1 ? 'row' : 'rows'}`}, changed{' '}
              <RelativeTime at={updatedAt} />
            </span>
            <Button
              variant="ghost"
              size="icon-sm"
              aria-label={`Delete the draft of ${fileName}`}
              onClick={() => void remove(id)}
            >
              <Trash2 />
            </Button>
          </li>
        ))}
      </ul>
      {otherDrafts.length > shownDrafts.length && (
        <Button size="sm" variant="ghost" className="mt-1" onClick={() => setShowsAll(true)}>
          Show all {formatNumber(otherDrafts.length)}
        </Button>
      )}
    </section>
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
