/** Shows a preview of rows from a file or pasted text, then starts a job that imports the rows for review. */
import type { ImportedRow, ImportPreview, ImportStarted } from '@rdm/contracts/jobs/row-imports';
import { type ReactNode, useEffect, useState } from 'react';
import { messageOf } from '../../lib/messages/index.ts';
import { formatNumber } from '../../lib/number-format.ts';
import { FormDialog } from '../form-dialog/index.tsx';
import { type ImportTarget, uploadRows } from '../importing-job/index.tsx';
import { RowsInput } from '../rows-input/index.tsx';
import { Alert } from '../ui/alert.tsx';
import { Button } from '../ui/button.tsx';
import { Switch } from '../ui/switch.tsx';

export interface ImportRowsDialogProps<Settings, Preview extends ImportPreview<ImportedRow>> {
  title: string;
  description: string;
  /** The kind of rows: "Mappings". */
  label: string;
  hint: string;
  accept: string;
  into: ImportTarget;
  /** The id of a file that was uploaded earlier. The dialog shows the preview of this file immediately. */
  fileId?: string | undefined;
  /** Formats a number of rows: "3 mappings". */
  countText: (count: number) => string;
  /** Names the format in which the server read the file. */
  formatText: (preview: Preview) => string;
  /** The import settings that the controls in `options` change. */
  settings: Settings;
  options?: ReactNode;
  loadPreview: (settings: Settings & FileSettings) => Promise<Preview>;
  send: (settings: Settings & FileSettings) => Promise<ImportStarted>;
  /** Renders the rows of the preview. `reread` reads the file again with other settings. */
  children: (preview: Preview, reread: (settings: Settings) => void) => ReactNode;
  onStarted: (started: ImportStarted) => void;
  onClose: () => void;
}

interface FileSettings {
  fileId: string;
  submit: boolean;
}

export function ImportRowsDialog<Settings, Preview extends ImportPreview<ImportedRow>>({
  title,
  description,
  label,
  hint,
  accept,
  into,
  fileId: uploadedFileId,
  countText,
  formatText,
  settings,
  options,
  loadPreview,
  send,
  children,
  onStarted,
  onClose,
}: ImportRowsDialogProps<Settings, Preview>) {
  const [text, setText] = useState('');
  const [file, setFile] = useState<File>();
  const [submit, setSubmit] = useState(false);
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string>();
  const [loaded, setLoaded] = useState<{ settings: Settings & FileSettings; preview: Preview }>();
  const preview = loaded?.preview;
  const importableCount = preview === undefined ? 0 : preview.counts.new + preview.counts.changed;
  const rowCount = preview === undefined ? 0 : Object.values(preview.counts).reduce((sum, count) => sum + count, 0);
  const isEmpty = file === undefined && text.trim() === '';

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

  const showPreview = async (sent: Settings & FileSettings) =>
    setLoaded({ settings: sent, preview: await loadPreview(sent) });

  const previewInput = () =>
    attempt(async () => {
      const upload = file ?? new File([text], 'pasted.txt', { type: 'text/plain' });
      const { id: fileId } = await uploadRows(into, upload);
      await showPreview({ ...settings, fileId, submit });
    });

  useEffect(() => {
    if (uploadedFileId !== undefined) void attempt(() => showPreview({ ...settings, fileId: uploadedFileId, submit }));
  }, [uploadedFileId]);

  const start = (sent: Settings & FileSettings) =>
    attempt(async () => {
      onStarted(await send(sent));
      onClose();
    });

  return (
    <FormDialog
      className="xl:w-[60%]"
      dirty={!isEmpty}
      onClose={onClose}
      title={title}
      description={description}
      footer={(leave) => (
        <>
          <Button onClick={leave}>Cancel</Button>
          {loaded === undefined ? (
            <Button variant="primary" disabled={busy || isEmpty} aria-busy={busy} onClick={() => void previewInput()}>
              {busy ? 'Reading…' : 'Preview'}
            </Button>
          ) : (
            <>
              <Button onClick={() => setLoaded(undefined)}>Back</Button>
              <Button
                variant="primary"
                disabled={busy || importableCount === 0}
                aria-busy={busy}
                onClick={() => void start(loaded.settings)}
              >
                {submit ? 'Import and submit' : 'Import'} {countText(importableCount)}
              </Button>
            </>
          )}
        </>
      )}
    >
      <div className="flex flex-col gap-4">
        {problem !== undefined && (
          <Alert tone="error" title="The rows cannot be imported">
            {problem}
          </Alert>
        )}
        {loaded === undefined ? (
          <>
            <RowsInput
              label={label}
              hint={hint}
              accept={accept}
              text={text}
              file={file}
              onText={setText}
              onFile={(chosen) => {
                setProblem(undefined);
                setFile(chosen);
              }}
            />
            {options}
            <Switch label="Submit the rows for approval immediately" checked={submit} onCheckedChange={setSubmit} />
          </>
        ) : (
          <>
            <p role="status">
              Read as {formatText(loaded.preview)}: {formatNumber(rowCount)} {rowCount === 1 ? 'row' : 'rows'}, of which{' '}
              {formatNumber(importableCount)} can be imported.
            </p>
            {children(loaded.preview, (changedSettings) => {
              const { fileId } = loaded.settings;
              void attempt(() => showPreview({ ...changedSettings, fileId, submit }));
            })}
          </>
        )}
      </div>
    </FormDialog>
  );
}
