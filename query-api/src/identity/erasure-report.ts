/**
 * Reports, before a user is erased, which comments, names, descriptions and rows mention the user, which legal hold
 * protects the user, and which backups contain the user.
 */
import { ErasureReport, holdOnUser } from '@rdm/contracts';
import { idParam, type Route, route } from '@rdm/platform';
import type { QueryContext } from '../query-context.ts';
import { answer, type Tables } from '../read-models/read-models.ts';
import { join, type Sql, sql } from '../read-models/sql.ts';

interface Person {
  id: number;
  username: string;
  displayName: string | null;
  firstName: string | null;
  lastName: string | null;
  email: string | null;
}

/** Shorter names are not searched, because many words contain them. */
const SEARCHED_MIN = 3;

/**
 * Returns the names and the e-mail address of a user. First and last name are one text, because each alone matches many
 * people.
 */
function searchedTexts({ username, displayName, firstName, lastName, email }: Person): string[] {
  const full = firstName && lastName ? `${firstName} ${lastName}` : null;
  const texts = [username, displayName, full, email].filter((text): text is string => text !== null);
  return [...new Set(texts)].filter((text) => text.length >= SEARCHED_MIN);
}

const containsPattern = (text: string): string => `%${text.replace(/[\\%_]/g, '\\$&')}%`;

/** The query for the places that contain one of the texts, with the number of records in each. */
function mentionsOf(tables: Tables, patterns: readonly string[]): Sql {
  const contains = (text: Sql) => sql`${text} ILIKE ANY(${[...patterns]}::text[])`;
  const named = (place: string, path: string, table: Sql, text = sql`concat_ws(' ', t.name, t.description)`) =>
    sql`SELECT ${place}::text AS place, count(*) AS count, ${path}::text AS path FROM ${table} t WHERE ${contains(text)}`;
  const places = [
    named('Names and descriptions of reference data types', '/reference-types', tables('reference_data_types')),
    named('Names and descriptions of data sets', '/collections', tables('reference_data_sets')),
    named('Names and descriptions of collections', '/collections', tables('reference_data_collections')),
    named('Names and descriptions of crosswalks', '/crosswalks', tables('crosswalk_mappings')),
    named('Names of relationships', '/relationships', tables('relationships'), sql`t.name`),
    sql`SELECT 'Comments and reasons of decisions', count(*), '/audit-logs' FROM ${tables('audit_logs')} a
         WHERE ${contains(sql`concat_ws(' ', a.submission_comment, a.rejection_reason)`)}`,
    sql`SELECT 'Rows of ' || d.name, found.count, '/reference-data/' || d.id || '/instances'
          FROM (SELECT i.data_set_id AS id, count(*) AS count FROM ${tables('instances')} i
                 WHERE ${contains(sql`i.data::text`)} GROUP BY 1) found
          JOIN ${tables('reference_data_sets')} d ON d.id = found.id`,
  ];
  return sql`SELECT * FROM (${join(places, ' UNION ALL ')}) found WHERE count > 0 ORDER BY count DESC, place`;
}

export const erasureReportRoutes = ({ readModels }: QueryContext): Route[] => [
  route(
    'get',
    '/api/users/:id/erasure-report',
    { administrator: true },
    {
      summary: 'Report which data names a user, before the user is erased',
      hasPast: false,
      answers: { 200: ErasureReport },
    },
    async (request) => {
      const id = idParam(request);
      const person = await readModels.read<Person>(
        request,
        () => sql`SELECT u.id, u.username, u.display_name AS "displayName", u.first_name AS "firstName",
            u.last_name AS "lastName", u.email
          FROM identity.users u WHERE u.id = ${id} AND u.erased_at IS NULL`,
      );
      const { username, displayName, ...more } = person.one();
      const searched = searchedTexts({ username, displayName, ...more });
      const [mentions, backups] = await Promise.all([
        readModels.read<ErasureReport['mentions'][number]>(request, (tables) =>
          mentionsOf(tables, searched.map(containsPattern)),
        ),
        readModels.read<{ fileName: string }>(
          request,
          (tables) => sql`SELECT b.file ->> 'fileName' AS "fileName" FROM ${tables('backups')} b, identity.users u
            WHERE u.id = ${id} AND b.file IS NOT NULL AND b.created_at > u.created_at ORDER BY b.id DESC`,
        ),
      ]);
      const hold = holdOnUser(request.access, id);
      return answer(person, {
        ...{ id, username, displayName, searched },
        mentions: mentions.rows,
        holds: hold === undefined ? [] : [{ id: hold.holdId, matter: hold.matter }],
        backups: backups.rows.map(({ fileName }) => fileName),
      } satisfies ErasureReport);
    },
  ),
];
