/** Imports mappings from a file or a paste: what it holds is shown first, then a job lands it as drafts or under review. */
import type { CrosswalkView } from '@rdm/contracts/crosswalks';
import {
  type ImportMappings,
  MAPPING_FORMATS,
  type MappingFormat,
  type MappingImportPreview,
} from '@rdm/contracts/mapping-exchange';
import type { ImportStarted } from '@rdm/contracts/row-imports';
import { FileUp } from 'lucide-react';
import { type DragEvent, useRef, useState } from 'react';
import { FormDialog } from '../../../components/form-dialog/index.tsx';
import { uploadRows } from '../../../components/importing-job/index.tsx';
import { Alert } from '../../../components/ui/alert.tsx';
import { Button } from '../../../components/ui/button.tsx';
import { cn } from '../../../components/ui/cn.ts';
import { Field, Textarea } from '../../../components/ui/input.tsx';
import { Select } from '../../../components/ui/select.tsx';
import { Switch } from '../../../components/ui/switch.tsx';
import { grouped } from '../../../lib/grouped.ts';
import { messageOf } from '../../../lib/messages/index.ts';
import { importMappings, previewImport } from '../api/exchange.ts';
import { FORMAT_WORDS } from './exchange-words.ts';
import { ImportPreview } from './ImportPreview.tsx';
import { mappingsText } from './verbs.ts';

export interface ImportDialogProps {
  crosswalk: CrosswalkView;
  onStarted: (started: ImportStarted) => void;
  onClose: () => void;
}

type Existing = ImportMappings['existing'];

const FORMATS: { value: MappingFormat | 'detect'; label: string }[] = [
  { value: 'detect', label: 'Find out by itself' },
  ...MAPPING_FORMATS.map((value) => ({ value, label: FORMAT_WORDS[value] })),
];
const EXISTING: { value: Existing; label: string }[] = [
  { value: 'change', label: 'change its target' },
  { value: 'add', label: 'get another target' },
];

export function ImportDialog({ crosswalk, onStarted, onClose }: ImportDialogProps) {
  const input = useRef<HTMLInputElement>(null);
  const [text, setText] = useState('');
  const [file, setFile] = useState<File>();
  const [format, setFormat] = useState<MappingFormat | 'detect'>('detect');
  const [existing, setExisting] = useState<Existing>('change');
  const [submit, setSubmit] = useState(false);
  const [over, setOver] = useState(false);
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string>();
  const [looked, setLooked] = useState<{ asked: ImportMappings; preview: MappingImportPreview }>();
  const preview = looked?.preview;
  const wanted = preview === undefined ? 0 : preview.counts.new + preview.counts.changed;
  const rows = preview === undefined ? 0 : Object.values(preview.counts).reduce((sum, count) => sum + count, 0);
  const isEmpty = file === undefined && text.trim() === '';

  function take(chosen: File | undefined) {
    if (chosen === undefined) return;
    setProblem(undefined);
    setFile(chosen);
  }

  function drop(event: DragEvent) {
    event.preventDefault();
    setOver(false);
    take(event.dataTransfer.files[0]);
  }

  async function attempt(work: () => Promise<void>) {
    setBusy(true);
    try {
      await work();
      setProblem(undefined);
    } catch (error) {
      setProblem(messageOf(error));
    } finally {
      setBusy(false);
    }
  }

  const look = () =>
    attempt(async () => {
      const sent = file ?? new File([text], 'pasted.txt', { type: 'text/plain' });
      const { id: fileId } = await uploadRows({ crosswalkId: crosswalk.id }, sent);
      const asked = { fileId, existing, submit, ...(format === 'detect' ? {} : { format }) };
      setLooked({ asked, preview: await previewImport(crosswalk.id, asked) });
    });

  const send = (asked: ImportMappings) =>
    attempt(async () => {
      onStarted(await importMappings(crosswalk.id, asked));
      onClose();
    });

  return (
    <FormDialog
      className="xl:w-[60%]"
      dirty={!isEmpty}
      onClose={onClose}
      title="Import mappings"
      description={`From ${crosswalk.sourceName} to ${crosswalk.targetName}: CSV, JSON, a FHIR ConceptMap or SSSOM. Nothing is written before you have seen what it does.`}
      footer={(leave) => (
        <>
          <Button onClick={leave}>Cancel</Button>
          {looked === undefined ? (
            <Button variant="primary" disabled={busy || isEmpty} aria-busy={busy} onClick={() => void look()}>
              {busy ? 'Reading…' : 'Preview'}
            </Button>
          ) : (
            <>
              <Button onClick={() => setLooked(undefined)}>Back</Button>
              <Button
                variant="primary"
                disabled={busy || wanted === 0}
                aria-busy={busy}
                onClick={() => void send(looked.asked)}
              >
                {submit ? 'Import and submit' : 'Import'} {mappingsText(wanted)}
              </Button>
            </>
          )}
        </>
      )}
    >
      <div className="flex flex-col gap-4">
        {problem !== undefined && (
          <Alert tone="error" title="This cannot be imported">
            {problem}
          </Alert>
        )}
        {preview === undefined ? (
          <>
            {/* biome-ignore lint/a11y/noStaticElementInteractions: dropping is an extra to the button below */}
            <div
              className={cn('rounded-md', over && 'outline-2 outline-accent outline-dashed outline-offset-4')}
              onDragOver={(event) => {
                event.preventDefault();
                setOver(true);
              }}
              onDragLeave={() => setOver(false)}
              onDrop={drop}
            >
              {file === undefined ? (
                <Field
                  label="Mappings"
                  hint="Paste them, or drop a file here. CSV needs the columns sourceValue and targetValue; confidence may follow."
                >
                  {(control) => (
                    <Textarea
                      {...control}
                      rows={8}
                      className="font-mono"
                      spellCheck={false}
                      value={text}
                      onChange={(event) => setText(event.target.value)}
                    />
                  )}
                </Field>
              ) : (
                <p className="flex items-center gap-2">
                  <span className="min-w-0 truncate font-mono">{file.name}</span>
                  <span className="text-muted text-xs">{grouped(Math.ceil(file.size / 1_024))} KiB</span>
                  <Button size="sm" variant="ghost" onClick={() => setFile(undefined)}>
                    Leave it out
                  </Button>
                </p>
              )}
              <Button className="mt-2" onClick={() => input.current?.click()}>
                <FileUp />
                {file === undefined ? 'Choose a file' : 'Choose another file'}
              </Button>
              <input
                ref={input}
                type="file"
                hidden
                aria-label="File of mappings"
                accept=".csv,.tsv,.txt,.json,text/csv,text/tab-separated-values,text/plain,application/json,application/fhir+json"
                onChange={(event) => {
                  take(event.target.files?.[0]);
                  // The same file, mended, can be chosen again.
                  event.target.value = '';
                }}
              />
            </div>
            <div className="grid gap-4 sm:grid-cols-2">
              <Field label="Format">
                {(control) => (
                  <Select {...control} className="w-full" value={format} onValueChange={setFormat} options={FORMATS} />
                )}
              </Field>
              <Field
                label="A value that is mapped already shall"
                hint="Where it has one mapping, and is in the file once."
              >
                {(control) => (
                  <Select
                    {...control}
                    className="w-full"
                    value={existing}
                    onValueChange={setExisting}
                    options={EXISTING}
                  />
                )}
              </Field>
            </div>
            <Switch label="Submit them for approval at once" checked={submit} onCheckedChange={setSubmit} />
          </>
        ) : (
          <>
            <p role="status">
              Read as {FORMAT_WORDS[preview.format]}: {grouped(rows)} {rows === 1 ? 'row' : 'rows'}, of which{' '}
              {grouped(wanted)} can be imported.
            </p>
            <ImportPreview preview={preview} />
          </>
        )}
      </div>
    </FormDialog>
  );
}
