/** Imports mappings from a file or a paste: what it holds is shown first, then it lands as drafts or under review. */
import type { CrosswalkView } from '@rdm/contracts/crosswalks';
import {
  MAPPING_FILE_CHARACTERS_MAX,
  MAPPING_FORMATS,
  type MappingFormat,
  type MappingImportPreview,
  type PreviewMappingImport,
} from '@rdm/contracts/mapping-exchange';
import { useQueryClient } from '@tanstack/react-query';
import { FileUp } from 'lucide-react';
import { type DragEvent, useRef, useState } from 'react';
import { FormDialog } from '../../../components/form-dialog/index.tsx';
import { type Outcome, OutcomesDialog, type Running } from '../../../components/outcomes/index.tsx';
import { notify } from '../../../components/toast/index.ts';
import { Alert } from '../../../components/ui/alert.tsx';
import { Button } from '../../../components/ui/button.tsx';
import { cn } from '../../../components/ui/cn.ts';
import { Field, Textarea } from '../../../components/ui/input.tsx';
import { Select } from '../../../components/ui/select.tsx';
import { Switch } from '../../../components/ui/switch.tsx';
import type { Undoable } from '../../../components/undo-bar/index.tsx';
import { grouped } from '../../../lib/grouped.ts';
import { messageOf } from '../../../lib/messages/index.ts';
import { reloadCrosswalk } from '../api/crosswalks.ts';
import { previewImport } from '../api/exchange.ts';
import { FORMAT_WORDS } from './exchange-words.ts';
import { ImportPreview } from './ImportPreview.tsx';
import { effective, importInPieces } from './import-in-pieces.ts';
import { takeBack } from './take-back.ts';
import { mappingsText } from './verbs.ts';

export interface ImportDialogProps {
  crosswalk: CrosswalkView;
  onUndoable: (action: Undoable) => void;
  onClose: () => void;
}

type Existing = PreviewMappingImport['existing'];

const FORMATS: { value: MappingFormat | 'detect'; label: string }[] = [
  { value: 'detect', label: 'Find out by itself' },
  ...MAPPING_FORMATS.map((value) => ({ value, label: FORMAT_WORDS[value] })),
];
const EXISTING: { value: Existing; label: string }[] = [
  { value: 'change', label: 'change its target' },
  { value: 'add', label: 'get another target' },
];

export function ImportDialog({ crosswalk, onUndoable, onClose }: ImportDialogProps) {
  const queries = useQueryClient();
  const file = useRef<HTMLInputElement>(null);
  const [text, setText] = useState('');
  const [name, setName] = useState<string>();
  const [format, setFormat] = useState<MappingFormat | 'detect'>('detect');
  const [existing, setExisting] = useState<Existing>('change');
  const [submit, setSubmit] = useState(false);
  const [over, setOver] = useState(false);
  const [reading, setReading] = useState(false);
  const [problem, setProblem] = useState<string>();
  const [preview, setPreview] = useState<MappingImportPreview>();
  const [run, setRun] = useState<{ running: Running | undefined; outcomes: readonly Outcome[] }>();
  const wanted = preview === undefined ? [] : effective(preview.rows);

  async function takeFile(chosen: File | undefined) {
    if (chosen === undefined) return;
    try {
      // A byte that is no UTF-8 is refused rather than replaced: codes must come in as they are.
      const content = new TextDecoder('utf-8', { fatal: true }).decode(await chosen.arrayBuffer());
      setProblem(undefined);
      setText(content);
      setName(chosen.name);
    } catch (error) {
      const isText = error instanceof TypeError;
      setProblem(`${chosen.name} cannot be read: ${isText ? 'save it as UTF-8 text' : messageOf(error)}.`);
    }
  }

  function drop(event: DragEvent) {
    event.preventDefault();
    setOver(false);
    void takeFile(event.dataTransfer.files[0]);
  }

  async function look() {
    if (text.length > MAPPING_FILE_CHARACTERS_MAX) return setProblem('The file is too large: import it in parts.');
    setReading(true);
    try {
      const chosen = format === 'detect' ? {} : { format };
      setPreview(await previewImport(crosswalk.id, { content: text, existing, ...chosen }));
      setProblem(undefined);
    } catch (error) {
      setProblem(messageOf(error));
    } finally {
      setReading(false);
    }
  }

  async function send() {
    const { outcomes, added, stopped } = await importInPieces(
      crosswalk.id,
      preview?.rows ?? [],
      submit,
      (running, sofar) => setRun({ running, outcomes: [...sofar] }),
    );
    if (stopped !== undefined) notify.error(stopped, { title: `Stopped after ${mappingsText(outcomes.length)}` });
    setRun({ running: undefined, outcomes });
    await reloadCrosswalk(queries, crosswalk.id);
    if (added.length === 0) return;
    onUndoable({
      text: `Imported: ${mappingsText(added.length)}.`,
      undo: () => takeBack(queries, crosswalk.id, added),
    });
  }

  if (run !== undefined) {
    const left = preview?.counts.invalid ?? 0;
    return (
      <OutcomesDialog
        title={run.running !== undefined ? 'Importing…' : submit ? 'Imported and submitted' : 'Imported as drafts'}
        {...run}
        note={left > 0 && `${mappingsText(left)} of the file ${left === 1 ? 'was' : 'were'} invalid and left out.`}
        onClose={onClose}
      />
    );
  }
  return (
    <FormDialog
      className="xl:w-[60%]"
      dirty={text.trim() !== ''}
      onClose={onClose}
      title="Import mappings"
      description={`From ${crosswalk.sourceName} to ${crosswalk.targetName}: CSV, JSON, a FHIR ConceptMap or SSSOM. Nothing is written before you have seen what it does.`}
      footer={(leave) => (
        <>
          <Button onClick={leave}>Cancel</Button>
          {preview === undefined ? (
            <Button
              variant="primary"
              disabled={reading || text.trim() === ''}
              aria-busy={reading}
              onClick={() => void look()}
            >
              {reading ? 'Reading…' : 'Preview'}
            </Button>
          ) : (
            <>
              <Button onClick={() => setPreview(undefined)}>Back</Button>
              <Button variant="primary" disabled={wanted.length === 0} onClick={() => void send()}>
                {submit ? 'Import and submit' : 'Import'} {mappingsText(wanted.length)}
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
              <Field
                label={name === undefined ? 'Mappings' : `Mappings of ${name}`}
                hint="Paste them, or drop a file here. CSV needs the columns sourceValue and targetValue; confidence may follow."
              >
                {(control) => (
                  <Textarea
                    {...control}
                    rows={8}
                    className="font-mono"
                    spellCheck={false}
                    value={text}
                    onChange={(event) => {
                      setText(event.target.value);
                      setName(undefined);
                    }}
                  />
                )}
              </Field>
              <Button className="mt-2" onClick={() => file.current?.click()}>
                <FileUp />
                Choose a file
              </Button>
              <input
                ref={file}
                type="file"
                hidden
                aria-label="File of mappings"
                accept=".csv,.tsv,.txt,.json,text/csv,text/tab-separated-values,text/plain,application/json,application/fhir+json"
                onChange={(event) => {
                  void takeFile(event.target.files?.[0]);
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
          </>
        ) : (
          <>
            <p role="status">
              Read as {FORMAT_WORDS[preview.format]}: {grouped(preview.rows.length)}{' '}
              {preview.rows.length === 1 ? 'row' : 'rows'}, of which {grouped(wanted.length)} can be imported.
            </p>
            <ImportPreview preview={preview} />
            <Switch label="Submit them for approval at once" checked={submit} onCheckedChange={setSubmit} />
          </>
        )}
      </div>
    </FormDialog>
  );
}
