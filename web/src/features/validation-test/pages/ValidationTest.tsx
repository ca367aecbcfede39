/** The validation test: checks rows as CSV or JSON against a data set or a type, by the rules of an import. */
import { mayOpen } from '@rdm/contracts/access/permissions';
import { VALIDATED_BYTES_MAX } from '@rdm/contracts/imports/validation-test';
import { useMutation } from '@tanstack/react-query';
import { ListChecks } from 'lucide-react';
import { parseAsInteger, useQueryStates } from 'nuqs';
import { type FormEvent, useState } from 'react';
import { DataSetPicker } from '../../../components/data-set-picker/index.tsx';
import { PageHeader } from '../../../components/page/index.tsx';
import { RowsInput } from '../../../components/rows-input/index.tsx';
import { TypePicker } from '../../../components/type-picker/index.tsx';
import { Alert } from '../../../components/ui/alert.tsx';
import { Button } from '../../../components/ui/button.tsx';
import { Field } from '../../../components/ui/input.tsx';
import { Select } from '../../../components/ui/select.tsx';
import { useCurrentUser } from '../../../lib/auth/index.ts';
import { messageOf } from '../../../lib/messages/index.ts';
import { type Target, validateRows } from '../api/validation-test.ts';
import { Result } from '../components/Result.tsx';

const KINDS = [
  { value: 'dataSet', label: 'Data set', route: '/collections' },
  { value: 'type', label: 'Reference data type', route: '/reference-types' },
] as const;
type Kind = (typeof KINDS)[number]['value'];

/** The validated input. The page compares it with the form to detect later changes. */
interface SentRows {
  target: Target;
  rows: Blob;
  text: string;
  file: File | undefined;
}

export default function ValidationTest() {
  const user = useCurrentUser();
  const [url, setUrl] = useQueryStates({ dataSet: parseAsInteger, type: parseAsInteger });
  const kinds = KINDS.filter(({ route }) => mayOpen(route, user));
  const [chosenKind, setChosenKind] = useState<Kind>();
  const kind =
    chosenKind ?? (url.type !== null ? 'type' : url.dataSet !== null ? 'dataSet' : (kinds[0]?.value ?? 'dataSet'));
  const [text, setText] = useState('');
  const [file, setFile] = useState<File>();
  const [problems, setProblems] = useState<{ target?: string; rows?: string }>({});
  const test = useMutation({ mutationFn: ({ target, rows }: SentRows) => validateRows(target, rows) });
  const target = targetOf(kind, url);
  const isEdited =
    test.variables !== undefined &&
    (test.variables.text !== text ||
      test.variables.file !== file ||
      JSON.stringify(test.variables.target) !== JSON.stringify(target));

  function run(event: FormEvent) {
    event.preventDefault();
    const rows = file ?? new Blob([text]);
    const foundProblems = {
      ...(target === undefined ? { target: kind === 'type' ? 'Choose a type' : 'Choose a data set' } : {}),
      ...rowsProblem(rows, file === undefined ? text : undefined),
    };
    setProblems(foundProblems);
    if (target !== undefined && foundProblems.rows === undefined) test.mutate({ target, rows, text, file });
  }

  const pickTarget = (id: number) => {
    setProblems(({ rows }) => (rows === undefined ? {} : { rows }));
    void setUrl({ dataSet: kind === 'dataSet' ? id : null, type: kind === 'type' ? id : null });
  };
  const changeRows = (change: () => void) => {
    setProblems(({ target: problem }) => (problem === undefined ? {} : { target: problem }));
    change();
  };

  return (
    <>
      <PageHeader
        title="Validation test"
        description="Check rows by the rules of an import. Nothing is imported, and nothing is stored."
      />
      <form noValidate onSubmit={run} className="mb-4 flex flex-col gap-4">
        <div className="flex flex-wrap items-start gap-3">
          {kinds.length > 1 && (
            <Field label="Validate against" className="w-full sm:w-56">
              {(control) => (
                <Select
                  {...control}
                  className="w-full"
                  value={kind}
                  onValueChange={(next: Kind) => {
                    setChosenKind(next);
                    setProblems({});
                  }}
                  options={kinds}
                />
              )}
            </Field>
          )}
          {kind === 'dataSet' ? (
            <DataSetPicker
              label="Data set"
              className="w-full sm:w-80"
              dataSetId={url.dataSet ?? undefined}
              level="READ"
              onChange={pickTarget}
              error={problems.target}
            />
          ) : (
            <TypePicker
              className="w-full sm:w-80"
              value={url.type ?? undefined}
              onChange={pickTarget}
              error={problems.target}
            />
          )}
        </div>
        <RowsInput
          label="Rows"
          hint="Paste CSV or JSON, or drop a file of at most 10 MiB here. The first line of CSV names the columns."
          accept=".csv,.tsv,.tab,.txt,.json,text/csv,text/tab-separated-values,text/plain,application/json"
          text={text}
          file={file}
          onText={(next) => changeRows(() => setText(next))}
          onFile={(next) => changeRows(() => setFile(next))}
          error={problems.rows}
        />
        <div className="flex flex-wrap items-center gap-3">
          <Button variant="primary" type="submit" disabled={test.isPending} aria-busy={test.isPending}>
            <ListChecks />
            {test.isPending ? 'Validating…' : 'Validate'}
          </Button>
          {isEdited && test.data !== undefined && (
            <p className="text-muted text-sm">This result is for your previous input: validate again.</p>
          )}
        </div>
        {test.error !== null && (
          <Alert tone="error" title="The rows could not be validated">
            {messageOf(test.error)}
          </Alert>
        )}
      </form>
      {test.data !== undefined && <Result key={test.submittedAt} view={test.data} />}
    </>
  );
}

function targetOf(kind: Kind, { dataSet, type }: { dataSet: number | null; type: number | null }): Target | undefined {
  if (kind === 'type') return type === null ? undefined : { referenceTypeId: type };
  return dataSet === null ? undefined : { dataSetId: dataSet };
}

function rowsProblem(rows: Blob, text: string | undefined): { rows?: string } {
  if (rows.size === 0 || text?.trim() === '') return { rows: 'Paste rows or choose a file that is not empty' };
  if (rows.size <= VALIDATED_BYTES_MAX) return {};
  return { rows: 'These rows are too large: at most 10 MiB can be validated. Validate them in parts.' };
}
