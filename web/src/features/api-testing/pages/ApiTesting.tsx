/** API testing: translates the values of a CSV with an API key, as another system would. */
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Copy, Play } from 'lucide-react';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { copyText } from '../../../components/copy-text/index.ts';
import { EmptyState } from '../../../components/empty-state/index.tsx';
import { PageHeader } from '../../../components/page/index.tsx';
import { notify } from '../../../components/toast/index.ts';
import { Button } from '../../../components/ui/button.tsx';
import { LabelledCheckbox } from '../../../components/ui/checkbox.tsx';
import { Field, Input } from '../../../components/ui/input.tsx';
import { Select } from '../../../components/ui/select.tsx';
import { messageOf } from '../../../lib/messages/index.ts';
import { type ApiTest, apiTestQuery, type CsvData, changeApiTest, changeInput, clearApiTest } from '../api/state.ts';
import { CrosswalkPicker } from '../components/CrosswalkPicker.tsx';
import { CsvField } from '../components/CsvField.tsx';
import { firstRowOf, headersOf } from '../components/csv.ts';
import { curlOf } from '../components/curl.ts';
import { Results } from '../components/Results.tsx';
import { startTest } from '../components/run.ts';

export default function ApiTesting() {
  const queries = useQueryClient();
  const { data: test } = useQuery(apiTestQuery);
  const { apiKey, csvData, headers, selectedCrosswalk, translatedColumnIndex, transformedData, isComplete } = test;
  const [isRecording, setIsRecording] = useState(false);
  const [isParsing, setParsing] = useState(false);
  const [csvProblem, setCsvProblem] = useState<string>();
  const [refusedAttempts, setRefusedAttempts] = useState(0);
  const form = useRef<HTMLFormElement>(null);
  const isRunning = isParsing || (transformedData !== undefined && !isComplete);
  const foundProblems = inputProblems(test);
  const problems = {
    ...(refusedAttempts > 0 ? foundProblems : {}),
    ...(csvProblem === undefined ? {} : { csvData: csvProblem }),
  };

  // An effect, because the inputs have `aria-invalid` only after the render.
  useEffect(() => {
    if (refusedAttempts > 0) form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }, [refusedAttempts]);

  function changeCsv(next: CsvData) {
    setCsvProblem(undefined);
    const names = headersOf(next.text);
    const sameColumn = translatedColumnIndex === undefined ? -1 : names.indexOf(headers[translatedColumnIndex] ?? '');
    const column = names.length === 1 ? 0 : sameColumn;
    changeInput(queries, { csvData: next, headers: names, translatedColumnIndex: column === -1 ? undefined : column });
  }

  async function run(event: FormEvent) {
    event.preventDefault();
    if (isRunning) return;
    if (
      selectedCrosswalk === undefined ||
      translatedColumnIndex === undefined ||
      Object.keys(foundProblems).length > 0
    ) {
      setRefusedAttempts(refusedAttempts + 1);
      return;
    }
    setRefusedAttempts(0);
    setParsing(true);
    try {
      setCsvProblem(
        await startTest(queries, { crosswalkId: selectedCrosswalk.id, column: translatedColumnIndex, isRecording }),
      );
    } catch (error) {
      setCsvProblem(messageOf(error));
    } finally {
      setParsing(false);
    }
  }

  const copyCurl = (crosswalkId: number, column: number) =>
    copyText(
      curlOf(crosswalkId, firstRowOf(csvData.text)?.[column] ?? '', isRecording),
      'curl command copied',
      (error) => notify.error(messageOf(error), { title: 'The curl command was not copied' }),
    );

  function clear() {
    clearApiTest(queries);
    setCsvProblem(undefined);
    setRefusedAttempts(0);
  }

  return (
    <div className="flex min-h-0 flex-1 flex-col">
      <PageHeader
        title="API Testing"
        description="Use an API key to translate the values of a CSV, as another system would."
      />
      <form ref={form} noValidate className="mb-4" onSubmit={(event) => void run(event)}>
        <div className="grid gap-4 lg:grid-cols-2">
          <CsvField
            value={csvData}
            disabled={isRunning}
            error={problems.csvData}
            onChange={changeCsv}
            onProblem={setCsvProblem}
          />
          <div className="flex flex-col gap-3">
            <Field
              label="API key"
              required
              error={problems.apiKey}
              hint="It stays in the memory of this tab until you clear the page, reload it or sign out."
            >
              {(control) => (
                // Not a password field, because browsers would offer to store its value.
                <Input
                  {...control}
                  autoComplete="off"
                  autoCapitalize="off"
                  spellCheck={false}
                  disabled={isRunning}
                  className="font-mono [-webkit-text-security:disc]"
                  value={apiKey}
                  onChange={(event) => changeApiTest(queries, { apiKey: event.target.value })}
                />
              )}
            </Field>
            <CrosswalkPicker
              value={selectedCrosswalk}
              disabled={isRunning}
              error={problems.selectedCrosswalk}
              onChange={(crosswalk) => changeInput(queries, { selectedCrosswalk: crosswalk })}
            />
            <Field label="Column to translate" required error={problems.translatedColumnIndex}>
              {(control) => (
                <Select
                  {...control}
                  className="w-full"
                  disabled={isRunning || headers.length === 0}
                  placeholder={headers.length === 0 ? 'Add CSV data first' : 'Choose…'}
                  value={translatedColumnIndex === undefined ? undefined : String(translatedColumnIndex)}
                  onValueChange={(value) => changeInput(queries, { translatedColumnIndex: Number(value) })}
                  options={headers.map((label, index) => ({ value: String(index), label }))}
                />
              )}
            </Field>
            <LabelledCheckbox
              label="Record unmapped values as missing mappings"
              disabled={isRunning}
              checked={isRecording}
              onCheckedChange={(ticked) => setIsRecording(ticked === true)}
            />
          </div>
        </div>
        <div className="mt-4 flex flex-wrap gap-2">
          <Button variant="primary" type="submit" aria-busy={isRunning} aria-disabled={isRunning}>
            <Play />
            Run
          </Button>
          <Button
            disabled={selectedCrosswalk === undefined || translatedColumnIndex === undefined}
            onClick={() =>
              selectedCrosswalk !== undefined &&
              translatedColumnIndex !== undefined &&
              void copyCurl(selectedCrosswalk.id, translatedColumnIndex)
            }
          >
            <Copy />
            Copy as curl
          </Button>
          <Button onClick={clear}>Clear</Button>
        </div>
      </form>
      {transformedData === undefined ? (
        <EmptyState
          title="No transformed rows yet"
          description="Add CSV data and an API key, choose a crosswalk and a column, and run. Each row appears here with its translation and its status."
        />
      ) : (
        <Results test={test} rows={transformedData} />
      )}
    </div>
  );
}

/** The problems of missing or invalid inputs, by input. */
function inputProblems({ apiKey, csvData, selectedCrosswalk, translatedColumnIndex }: ApiTest) {
  const key = apiKey.trim();
  return {
    ...(csvData.text.trim() === '' && { csvData: 'CSV data is required' }),
    ...(key === '' && { apiKey: 'API key is required' }),
    // The key is sent in an HTTP header, so it must consist of visible ASCII characters.
    ...(!/^[\x21-\x7e]*$/.test(key) && { apiKey: 'This is not an API key: paste it again' }),
    ...(selectedCrosswalk === undefined && { selectedCrosswalk: 'Crosswalk is required' }),
    ...(translatedColumnIndex === undefined && { translatedColumnIndex: 'Column is required' }),
  };
}
