/** Selects the list to test and, for lists of one entity, the data set, crosswalk or relationship. */
import { LISTS, type ListName, listKeyOf, listKind, listSubject } from '@rdm/contracts/lists/lists';
import { useQuery } from '@tanstack/react-query';
import { Combobox } from '../../../components/ui/combobox.tsx';
import { Field } from '../../../components/ui/input.tsx';
import { Select } from '../../../components/ui/select.tsx';
import { useSearchText } from '../../../lib/debounce/index.ts';
import { type SubjectKind, subjectQuery, subjectsQuery } from '../api/filter-testing.ts';

/** The lists that can be tested. Lists with one configuration for all entities, such as job logs, are omitted. */
const OPTIONS = (Object.keys(LISTS) as ListName[])
  .filter((name) => !listKind(name).isConfiguredTogether)
  .map((value) => ({ value, label: LISTS[value].label }));

export interface EntityPickerProps {
  list: ListName;
  entity: string | undefined;
  onList: (list: ListName) => void;
  onEntity: (entity: string) => void;
}

export function EntityPicker({ list, entity, onList, onEntity }: EntityPickerProps) {
  const { of: subjectKind } = listKind(list);
  return (
    <>
      <Field label="Entity" className="w-full sm:w-64">
        {(control) => <Select {...control} className="w-full" value={list} onValueChange={onList} options={OPTIONS} />}
      </Field>
      {subjectKind !== undefined && (
        <SubjectPicker key={subjectKind} kind={subjectKind} list={list} entity={entity} onEntity={onEntity} />
      )}
    </>
  );
}

const KIND_LABELS: Record<SubjectKind, string> = {
  'data-set': 'Data set',
  crosswalk: 'Crosswalk',
  relationship: 'Relationship',
};

function SubjectPicker({
  kind,
  list,
  entity,
  onEntity,
}: Pick<EntityPickerProps, 'list' | 'entity' | 'onEntity'> & { kind: SubjectKind }) {
  const { search, setSearch, debounced, isAnswered } = useSearchText();
  const id = entity === undefined ? undefined : (listSubject(entity)?.subjectId ?? undefined);
  const chosenSubject = useQuery({ ...subjectQuery(kind, id ?? 0), enabled: id !== undefined });
  const subjects = useQuery(subjectsQuery(kind, debounced));
  return (
    <Field label={KIND_LABELS[kind]} className="w-full sm:w-72">
      {(control) => (
        <Combobox
          {...control}
          label={KIND_LABELS[kind]}
          value={id === undefined ? undefined : String(id)}
          shown={id === undefined ? undefined : (chosenSubject.data?.name ?? `${KIND_LABELS[kind]} ${id}`)}
          onValueChange={(value) => onEntity(listKeyOf(list, Number(value)))}
          options={(subjects.data ?? []).map((subject) => ({ value: String(subject.id), label: subject.name }))}
          search={search}
          onSearchChange={setSearch}
          loading={!isAnswered(subjects)}
        />
      )}
    </Field>
  );
}
