/** Describes how the two kinds of definitions, crosswalks and relationships, differ on the pages that they share. */
import type { Level } from '@rdm/contracts/access/permissions';
import type { Reviewable } from '@rdm/contracts/review/approval';
import type { QueryClient } from '@tanstack/react-query';
import type { LucideIcon } from 'lucide-react';
import type { ComponentType } from 'react';
import type { DefinitionName } from '../../lib/definitions/index.ts';
import type { RowVerb, VerbWords } from './verbs.ts';

/** The fields of a crosswalk or relationship that its review uses. */
export interface Definition extends Omit<Reviewable<unknown>, 'value' | 'served'> {
  id: number;
  name: string;
  level: Level;
  updatedBy: number | null;
}

export interface DefinitionWords<Row> {
  action: string;
  title: string;
  description: (row: Row) => string;
  /** The completed action, such as “Draft discarded”, for toasts and the undo bar. */
  done: string;
  reasonRequired?: boolean;
  destructive?: boolean;
}

export interface DefinitionKind<Row extends Definition, Verb extends RowVerb> {
  name: DefinitionName;
  /** The name with a capital letter, for the beginning of a text. */
  title: string;
  /** The page of the mappings or values; its path is below the path of the definition. */
  rows: { path: string; label: string; icon: LucideIcon };
  /** The ids of the source and the target data set. */
  dataSetsOf: (row: Row) => readonly number[];
  /** The labels of the verbs for one definition. */
  words: Readonly<Record<Verb, DefinitionWords<Row>>>;
  /** The verbs that the status of a definition allows, in the order in which the page displays them. */
  verbsOf: (row: Row) => readonly Verb[];
  /** Why the user may not apply the verb to the definition; undefined if the user may. */
  refusalOf: (verb: Verb, row: Row, userId: number) => string | undefined;
  /** The labels of the verbs for many definitions. */
  wordsOfMany: Record<RowVerb, VerbWords>;
  /** Formats a number of definitions: "3 crosswalks". */
  countText: (count: number) => string;
  /** Whether the definition or one of its rows is served, so that an approver must approve the deletion. */
  isServed: (row: Row) => boolean;
  /** Reloads the pages of one definition, and the lists that contain it. */
  reload: (queries: QueryClient, id: number) => Promise<unknown>;
  /** Reloads all pages about definitions of the kind after a bulk change. */
  reloadAll: (queries: QueryClient) => Promise<unknown>;
  /** The version history of a definition. */
  History: ComponentType<{ definition: Row; onClose: () => void }>;
}

export const rowsPath = <Row extends Definition, Verb extends RowVerb>(
  { name, rows }: DefinitionKind<Row, Verb>,
  id: number,
): string => `/${name}s/${id}/${rows.path}`;
