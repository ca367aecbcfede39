/** The synonyms that the help search uses. */
import { termOf } from './terms.ts';

/**
 * Users treat the words of a line as equal. The index has the synonyms of each word of a text, so that a query also
 * finds texts with a synonym. Queries are not expanded.
 */
const SYNONYMS: readonly string[][] = [
  'upload import load',
  'excel spreadsheet xlsx',
  'download export',
  'login sign-in signin logon',
  'logout sign-out',
  'password passphrase',
  'delete remove',
  'revert undo rollback restore',
  'permission right access grant authorization',
  'colleague user person teammate employee coworker',
  'reviewer approver',
  'approve accept confirm sign-off',
  'reject decline refuse return',
  'review approval decision',
  'code key identifier',
  'label name title caption',
  'row record entry instance',
  'field column attribute',
  'data-set dataset list codelist table',
  'type schema structure',
  'crosswalk mapping translation map connect match',
  'history audit log changes who',
  'error message problem failure failed',
  'api rest endpoint http script curl integration',
  'token key secret credential',
  'webhook event subscribe feed stream notification',
  'job task background progress',
  'slow performance',
  'search find look',
  'filter condition query',
  'shortcut hotkey keyboard',
  'dark theme night appearance',
  'phone mobile tablet',
  'stop cancel abort end',
  'email mail',
  'group team',
  'change edit modify alter',
  'mandatory required',
  'duplicate copy clone',
  'version revision',
  'backup copy',
  'nightly daily schedule',
  'fix correct repair',
  'machine robot program system script',
  'tamper manipulate falsify verify',
].map((line) => line.split(' ').flatMap((word) => termOf(word) ?? []));

/** All terms of the lines that contain the term; empty if no line contains it. */
export const synonymsOf = (term: string): string[] => SYNONYMS.filter((line) => line.includes(term)).flat();
