/** The result of a validation test: its counts, the broken rules, and the problems with their solutions. */
import type {
  BrokenRule,
  ValidationProblem,
  ValidationRule,
  ValidationTestView,
} from '@rdm/contracts/imports/validation-test';
import { useMemo, useState } from 'react';
import { columnsOf, DataGrid, muted, useLocalPaging } from '../../../components/data-grid/index.ts';
import { valueText } from '../../../components/diff/index.tsx';
import { Figures } from '../../../components/page/index.tsx';
import { Alert } from '../../../components/ui/alert.tsx';
import { formatNumber } from '../../../lib/number-format.ts';
import { useListState } from '../../../lib/url-state/list-state.ts';
import { countText, exampleText, verdict } from './words.ts';

type ListedProblem = ValidationProblem & { id: number; name: string };

const { custom, text, number } = columnsOf<ListedProblem>();

const columnsFor = (format: ValidationTestView['format']) => [
  number('line', {
    header: format === 'json' ? 'Row' : 'Line',
    cell: ({ line }) => line ?? muted('All'),
    required: true,
    width: 64,
  }),
  text('column', {
    header: format === 'json' ? 'Member' : 'Column',
    cell: ({ column }) => column ?? muted('Whole row'),
    width: 120,
  }),
  text('reason', { header: 'Problem', required: true, minWidth: 220, wrap: true }),
  text('fix', { header: 'How to fix it', minWidth: 240, wrap: true }),
  text('value', {
    header: 'Value',
    cell: ({ value }) => (
      <span className="whitespace-pre font-mono" title={value ?? undefined}>
        {valueText(value)}
      </span>
    ),
    width: 150,
  }),
  custom('rule', { header: 'Rule', cell: ({ name }) => name, value: ({ name }) => name, width: 190, wrap: true }),
];

const problemId = ({ id }: ListedProblem) => id;

export function Result({ view }: { view: ValidationTestView }) {
  const { tone, title, text } = verdict(view);
  return (
    <section aria-label="Result" className="flex flex-col">
      <div role="status" className="mb-4">
        <Alert tone={tone} title={title}>
          {text}
        </Alert>
      </div>
      <Figures
        figures={[
          { label: 'Rows', value: view.rows },
          { label: 'Valid rows', value: view.validRows },
          { label: 'Invalid rows', value: view.invalidRows },
        ]}
      />
      {view.rules.length > 0 && <Problems view={view} />}
    </section>
  );
}

function Problems({ view }: { view: ValidationTestView }) {
  const [rule, setRule] = useState<ValidationRule>();
  const state = useListState({ prefix: 'problems-' });
  const columns = useMemo(() => columnsFor(view.format), [view.format]);
  const listedProblems = useMemo(() => {
    const names = new Map(view.rules.map((each) => [each.rule, each.name]));
    return view.problems
      .map((problem, id) => ({ ...problem, id, name: names.get(problem.rule) ?? problem.rule }))
      .filter((problem) => rule === undefined || problem.rule === rule);
  }, [view, rule]);
  const result = useLocalPaging(
    { data: listedProblems, isPending: false, isFetching: false, error: null, refetch: () => undefined },
    state.params,
  );
  return (
    <>
      <h2 className="mb-2 font-semibold text-base">Broken rules</h2>
      <ul aria-label="Broken rules" className="mb-4 grid gap-2 sm:grid-cols-2 xl:grid-cols-3">
        {view.rules.map((brokenRule) => (
          <li key={brokenRule.rule}>
            <RuleButton
              brokenRule={brokenRule}
              format={view.format}
              pressed={brokenRule.rule === rule}
              onPress={() => {
                setRule(brokenRule.rule === rule ? undefined : brokenRule.rule);
                state.setPage(1);
              }}
            />
          </li>
        ))}
      </ul>
      {view.moreProblems > 0 && (
        <p className="mb-2 text-muted text-sm">
          The list contains the first problems of each rule; {formatNumber(view.moreProblems)} more are counted but not
          listed.
        </p>
      )}
      <div className="flex h-[32rem] flex-col">
        <DataGrid
          label="Problems"
          state={state}
          result={result}
          columns={columns}
          rowId={problemId}
          searchable={false}
          empty={{ title: 'No problems' }}
        />
      </div>
    </>
  );
}

interface RuleButtonProps {
  brokenRule: BrokenRule;
  format: ValidationTestView['format'];
  pressed: boolean;
  onPress: () => void;
}

/** A button that limits the list to the problems of one rule. */
function RuleButton({ brokenRule, format, pressed, onPress }: RuleButtonProps) {
  return (
    <button
      type="button"
      aria-pressed={pressed}
      onClick={onPress}
      className="flex h-full w-full flex-col rounded-md border border-hairline bg-surface px-3 py-2 text-left hover:bg-hover aria-pressed:border-accent aria-pressed:bg-accent-soft"
    >
      <span className="flex w-full items-baseline justify-between gap-3">
        <span className="font-medium">{brokenRule.name}</span>
        <span className="shrink-0 text-sm tabular-nums">{countText(brokenRule)}</span>
      </span>
      {brokenRule.examples.map((example, index) => (
        <span key={index} className="w-full truncate text-muted text-xs">
          {exampleText(example, format)}
        </span>
      ))}
    </button>
  );
}
