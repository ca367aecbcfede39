/** Filter testing: a filter from the builder or as JSON, its results and cost, and the configuration of the list. */
import type { FilterGroup } from '@rdm/contracts/lists/filter';
import { type ListName, listKeyOf, listKind, listSubject } from '@rdm/contracts/lists/lists';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Play } from 'lucide-react';
import { parseAsJson, parseAsString, useQueryStates } from 'nuqs';
import { type FormEvent, useState } from 'react';
import { EmptyState, ErrorState } from '../../../components/empty-state/index.tsx';
import { FilterConditions } from '../../../components/filter-builder/conditions.tsx';
import { IncompleteAlert, useCompleteFilter } from '../../../components/filter-builder/incomplete-conditions.tsx';
import { filterConditions } from '../../../components/filter-builder/operators.ts';
import { PageHeader } from '../../../components/page/index.tsx';
import { Button } from '../../../components/ui/button.tsx';
import { Field, Textarea } from '../../../components/ui/input.tsx';
import { Skeleton } from '../../../components/ui/skeleton.tsx';
import { filterConfigurationsQuery } from '../../../lib/filters/index.ts';
import { filterTestQuery } from '../api/filter-testing.ts';
import { Configurations } from '../components/Configurations.tsx';
import { EntityPicker } from '../components/EntityPicker.tsx';
import { jsonOf, readFilter } from '../components/filter-json.ts';
import { Results } from '../components/Results.tsx';

const NO_CONDITIONS: FilterGroup = { logic: 'AND', conditions: [] };
const STARTING_LIST: ListName = 'data-sets';

const parsers = {
  entity: parseAsString,
  filter: parseAsJson((value): FilterGroup | null => {
    const read = readFilter(JSON.stringify(value));
    return 'filter' in read ? read.filter : null;
  }),
};

export default function FilterTesting() {
  const [url, setUrl] = useQueryStates(parsers);
  /** The chosen kind of list, until the user chooses its data set, crosswalk or relationship. */
  const [pendingList, setPendingList] = useState<ListName>();
  const entity = pendingList === undefined ? (url.entity ?? STARTING_LIST) : undefined;
  const subject = entity === undefined ? undefined : listSubject(entity);
  const list = pendingList ?? subject?.list ?? STARTING_LIST;

  function choose(next: ListName) {
    // The user also has to choose the data set, crosswalk or relationship of a list that belongs to one.
    const belongsToSubject = listKind(next).of !== undefined;
    setPendingList(belongsToSubject ? next : undefined);
    if (!belongsToSubject) void setUrl({ entity: listKeyOf(next, null), filter: null });
  }

  return (
    <>
      <PageHeader
        title="Filter Testing"
        description="Run a filter with the query of the list, and see its results and its cost. Configure the filterable fields of each list."
      />
      <div className="mb-4 flex flex-wrap gap-3">
        <EntityPicker
          list={list}
          entity={entity}
          onList={choose}
          onEntity={(next) => {
            setPendingList(undefined);
            void setUrl({ entity: next, filter: null });
          }}
        />
      </div>
      {subject === undefined || entity === undefined ? (
        <EmptyState
          title="Choose a list to test"
          description="For rows, mappings or relationship values, also choose the data set, crosswalk or relationship."
        />
      ) : (
        <FilterTest key={entity} entity={entity} filter={url.filter} onFilter={(filter) => void setUrl({ filter })} />
      )}
    </>
  );
}

function FilterTest({
  entity,
  filter,
  onFilter,
}: {
  entity: string;
  filter: FilterGroup | null;
  onFilter: (filter: FilterGroup | null) => void;
}) {
  const [draft, setDraft] = useState(filter ?? NO_CONDITIONS);
  const [text, setText] = useState(() => jsonOf(draft));
  const [problem, setProblem] = useState<string>();
  /** Reads the fields of the list without the filter, so that the fields are known even if the filter is invalid. */
  const unfiltered = useQuery(filterTestQuery(entity, null));
  const tested = useQuery({ ...filterTestQuery(entity, filter), placeholderData: keepPreviousData });
  const configurations = useQuery(filterConfigurationsQuery(entity));
  const fields = unfiltered.data?.fields;
  const check = useCompleteFilter(draft, fields ?? []);

  const changeFilter = (next: FilterGroup) => {
    setDraft(next);
    setText(jsonOf(next));
    setProblem(undefined);
  };
  const changeJson = (next: string) => {
    setText(next);
    const read = readFilter(next);
    setProblem('problem' in read ? read.problem : undefined);
    if ('filter' in read) setDraft(read.filter);
  };
  function run(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    if (!check.passes(event.currentTarget)) return;
    const nextFilter = filterConditions(draft) ?? null;
    // Runs an unchanged filter again, to repeat the measurement.
    if (JSON.stringify(nextFilter) === JSON.stringify(filter)) void tested.refetch();
    else onFilter(nextFilter);
  }

  if (unfiltered.error !== null && fields === undefined) {
    return (
      <ErrorState
        title="The fields of this list could not be loaded"
        error={unfiltered.error}
        onRetry={() => void unfiltered.refetch()}
      />
    );
  }
  if (fields === undefined) {
    return (
      <div role="status" aria-label="Loading..." className="flex flex-col gap-4">
        <Skeleton className="h-40" />
        <Skeleton className="h-64" />
      </div>
    );
  }
  return (
    <>
      <form onSubmit={run} className="mb-4">
        <div className="grid gap-4 lg:grid-cols-2">
          <section aria-label="Builder" className="rounded-md border border-hairline bg-surface p-3">
            <FilterConditions
              fields={fields}
              group={draft}
              showsProblems={check.showsProblems}
              onChange={changeFilter}
            />
          </section>
          <Field
            label="Filter as JSON"
            error={problem}
            hint="A change here also changes the builder, and a change in the builder also changes this text. Regular expressions use the syntax of PostgreSQL."
          >
            {(control) => (
              <Textarea
                {...control}
                spellCheck={false}
                className="min-h-48 flex-1 font-mono text-xs"
                value={text}
                onChange={(event) => changeJson(event.target.value)}
              />
            )}
          </Field>
        </div>
        <div className="mt-3 flex flex-wrap gap-2">
          <Button variant="primary" type="submit" disabled={problem !== undefined} aria-busy={tested.isFetching}>
            <Play />
            Run
          </Button>
          <Button
            onClick={() => {
              changeFilter(NO_CONDITIONS);
              check.reset();
              onFilter(null);
            }}
          >
            Clear
          </Button>
          <IncompleteAlert count={check.incompleteCount} />
        </div>
      </form>
      <section aria-label="Result" aria-busy={tested.isFetching} className="mb-6 flex flex-col">
        {tested.error !== null ? (
          <ErrorState
            title="The filter could not be tested"
            error={tested.error}
            onRetry={() => void tested.refetch()}
          />
        ) : tested.data === undefined ? (
          <Skeleton className="h-40" />
        ) : (
          <Results result={tested.data} />
        )}
      </section>
      <Configurations
        entity={entity}
        fields={fields}
        configurations={configurations}
        onChanged={() => void unfiltered.refetch()}
      />
    </>
  );
}
