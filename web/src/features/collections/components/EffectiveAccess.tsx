/** The effective access of a user: the level on the collection, and where it comes from. */
import type { AccessSource } from '@rdm/contracts/collections/collections';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Badge } from '../../../components/ui/badge.tsx';
import { Field } from '../../../components/ui/input.tsx';
import { messageOf } from '../../../lib/messages/index.ts';
import { effectiveAccessQuery } from '../api/collections.ts';
import { type Grantee, GranteePicker } from './GranteePicker.tsx';

const reasonOf = (source: AccessSource): string => {
  switch (source.kind) {
    case 'administrator':
      return 'Is an administrator';
    case 'owner':
      return 'Owns the collection';
    case 'user':
      return 'Granted to the user';
    case 'group':
      return `Granted to the group ${source.name}`;
  }
};

export function EffectiveAccess({ collectionId }: { collectionId: number }) {
  const [person, setPerson] = useState<Grantee>();
  return (
    <section aria-labelledby="effective-access" className="flex flex-col gap-3">
      <h2 id="effective-access" className="font-semibold text-lg">
        Effective access
      </h2>
      <Field label="Effective access for">
        {(control) => (
          <GranteePicker
            label="People"
            onlyPeople
            value={person}
            onChange={setPerson}
            {...(control.id ? { id: control.id } : {})}
          />
        )}
      </Field>
      <div aria-live="polite">{person && <Sources collectionId={collectionId} person={person} />}</div>
    </section>
  );
}

function Sources({ collectionId, person }: { collectionId: number; person: Grantee }) {
  const { data, error } = useQuery(effectiveAccessQuery(collectionId, person.entityId));
  if (error !== null) return <p className="text-danger-text">{messageOf(error)}</p>;
  if (data === undefined) return <p className="text-muted">Loading...</p>;
  if (data.level === null) return <p>{person.name} has no access to this collection.</p>;
  return (
    <>
      <p>
        {person.name} has <Badge tone="accent">{data.level}</Badge>
      </p>
      <ul
        aria-label={`Why ${person.name} has ${data.level}`}
        className="mt-2 divide-y divide-hairline border-hairline border-y"
      >
        {data.sources.map((source) => (
          <li key={`${source.kind} ${source.kind === 'group' ? source.groupId : ''}`} className="flex gap-2 py-1.5">
            <span className="min-w-0 flex-1 break-words">{reasonOf(source)}</span>
            <Badge tone="outline">{source.permissionLevel}</Badge>
          </li>
        ))}
      </ul>
    </>
  );
}
