/** The search results of the server as options of the palette. */
import { mayOpen } from '@rdm/contracts/access/permissions';
import type { FoundCode, SearchAnswer } from '@rdm/contracts/search/search';
import { ArrowLeftRight, Hash, Table2, User, Waypoints } from 'lucide-react';
import type { ReactNode } from 'react';
import { CommandGroup, CommandItem } from '../../../components/ui/command.tsx';
import { useCurrentUser } from '../../../lib/auth/index.ts';

interface ServerResultsProps {
  answer: SearchAnswer;
  onOpen: (to: string) => void;
  /** Shows the data sets that have this code. */
  onShowPlaces: (code: FoundCode) => void;
}

const dataSetPath = (id: number) => `/reference-data/${id}`;

const placePath = ({ dataSetId, instanceId }: FoundCode['places'][number]) =>
  `${dataSetPath(dataSetId)}/instances?row=${instanceId}`;

const definitionPath = ({ kind, id }: SearchAnswer['definitions'][number]) =>
  kind === 'crosswalk' ? `/crosswalks/${id}/mappings` : `/relationships/${id}/values`;

export const keyOfCode = ({ code, label }: FoundCode): string => JSON.stringify([code, label]);

/** A name and a detail in one line. In a narrow line, the detail is cut before the name. */
function NameWithDetail({ name, detail }: { name: ReactNode; detail: string }) {
  return (
    <span className="flex min-w-0 flex-1 items-baseline gap-3">
      <span className="min-w-0 max-w-full shrink-0 truncate">{name}</span>{' '}
      <span className="min-w-0 flex-1 truncate text-right text-muted text-xs">{detail}</span>
    </span>
  );
}

const CodeAndLabel = ({ code, label }: FoundCode) => (
  <>
    <span className="font-mono">{code}</span>
    {label !== null && ` ${label}`}
  </>
);

export function ServerResults({ answer, onOpen, onShowPlaces }: ServerResultsProps) {
  const user = useCurrentUser();
  const dataSets = answer.dataSets.filter(({ id }) => mayOpen(dataSetPath(id), user));
  const definitions = answer.definitions.filter((definition) => mayOpen(definitionPath(definition), user));
  const codes = answer.codes.filter(({ places: [place] }) => place && mayOpen(dataSetPath(place.dataSetId), user));
  return (
    <>
      {dataSets.length > 0 && (
        <CommandGroup heading="Data sets">
          {dataSets.map(({ id, name, typeName }) => (
            <CommandItem key={id} value={`data set ${id}`} onSelect={() => onOpen(dataSetPath(id))}>
              <Table2 aria-hidden="true" />
              <NameWithDetail name={name} detail={typeName} />
            </CommandItem>
          ))}
        </CommandGroup>
      )}
      {definitions.length > 0 && (
        <CommandGroup heading="Crosswalks and relationships">
          {definitions.map((definition) => {
            const { kind, id, name, sourceName, targetName } = definition;
            const Icon = kind === 'crosswalk' ? ArrowLeftRight : Waypoints;
            return (
              <CommandItem
                key={`${kind} ${id}`}
                value={`${kind} ${id}`}
                onSelect={() => onOpen(definitionPath(definition))}
              >
                <Icon aria-hidden="true" />
                <NameWithDetail name={name} detail={`${sourceName} → ${targetName}`} />
              </CommandItem>
            );
          })}
        </CommandGroup>
      )}
      {codes.length > 0 && (
        <CommandGroup heading="Codes">
          {codes.map((foundCode) => {
            const [place, ...others] = foundCode.places;
            if (place === undefined) return null;
            const detail = others.length === 0 ? place.dataSetName : `in ${foundCode.places.length} data sets`;
            return (
              <CommandItem
                key={keyOfCode(foundCode)}
                value={`code ${keyOfCode(foundCode)}`}
                onSelect={() => (others.length === 0 ? onOpen(placePath(place)) : onShowPlaces(foundCode))}
              >
                <Hash aria-hidden="true" />
                <NameWithDetail name={<CodeAndLabel {...foundCode} />} detail={detail} />
              </CommandItem>
            );
          })}
        </CommandGroup>
      )}
      {answer.people.length > 0 && (
        <CommandGroup heading="People">
          {answer.people.map(({ id, username, displayName }) => (
            <CommandItem
              key={id}
              value={`person ${id}`}
              onSelect={() => onOpen(`/manage-users?q=${encodeURIComponent(username)}`)}
            >
              <User aria-hidden="true" />
              <NameWithDetail name={displayName ?? username} detail={displayName === null ? '' : username} />
            </CommandItem>
          ))}
        </CommandGroup>
      )}
    </>
  );
}

/** The data sets with a code. Each option opens the row of the code in the data set. */
export function PlacesOfCode({ foundCode, onOpen }: { foundCode: FoundCode; onOpen: (to: string) => void }) {
  return (
    <CommandGroup heading={`Data sets with ${foundCode.code}${foundCode.label === null ? '' : ` ${foundCode.label}`}`}>
      {foundCode.places.map((place) => (
        <CommandItem
          key={`${place.dataSetId} ${place.instanceId}`}
          value={`place ${place.dataSetId} ${place.instanceId}`}
          onSelect={() => onOpen(placePath(place))}
        >
          <Table2 aria-hidden="true" />
          <span className="truncate">{place.dataSetName}</span>
        </CommandItem>
      ))}
    </CommandGroup>
  );
}
