/** The dependencies of the routes of imports. */
import type { Access, Pool, Settings } from '@rdm/platform';
import type { FileProcess } from '../file-imports/file-process.ts';
import type { Commands } from '../runtime/commands.ts';
import type { Execution } from '../runtime/execution.ts';
import type { Governance } from '../runtime/governance.ts';
import type { Pace } from '../runtime/pace.ts';
import type { OpenReadExecution } from '../runtime/read-execution.ts';
import type { Creators } from './drafts/create-target.ts';

export interface ImportDependencies {
  commands: Commands;
  pool: Pool;
  /** The connections that store the pieces of uploads. */
  uploadPool: Pool;
  access: Access;
  settings: Pick<Settings, 'PUBLIC_URL' | 'SESSION_SECRET'>;
  openExecution: OpenReadExecution;
  /** Requires the route's level on the source of a crosswalk; returns the governance of the crosswalk. */
  crosswalk: (x: Execution, id: number) => Promise<Governance>;
  /** Requires the route's level on the source of a relationship; returns the governance of the relationship. */
  relationship: (x: Execution, id: number) => Promise<Governance>;
  /** Notifies the import worker of a new job. */
  wake: () => void;
  /** Notifies the draft worker of a file to read or to check. */
  wakeDrafts: () => void;
  /** Creates the type, collection and data set of an import. */
  creators: Creators;
  preview: FileProcess['preview'];
  pace: Pace;
}
