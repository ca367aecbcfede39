/**
 * The reference of the benchmarks `read` and `palette`: bare Express handlers, in a separate process, that query the
 * rows of the large data set through pg.
 */
import express, { type Response } from 'express';
import pg from 'pg';

const [databaseUrl, table, dataSetId] = process.argv.slice(2);
const pool = new pg.Pool({ connectionString: databaseUrl, max: 16 });
const COLUMNS = 'id, revision, key, data, created_at, updated_at, updated_by';
const FROM_ROWS = `FROM ${table} WHERE data_set_id = ${Number(dataSetId)} AND NOT deleted`;

const app = express();
const answer = async (response: Response, name: string, text: string, values: unknown[]) => {
  response.json({ items: (await pool.query({ name, text, values })).rows });
};
app.get('/by-key', ({ query }, response) =>
  answer(response, 'by key', `SELECT ${COLUMNS} ${FROM_ROWS} AND left(key, 200) = left($1, 200) AND key = $1`, [
    JSON.stringify([query['key']]),
  ]),
);
app.get('/list', ({ query }, response) =>
  answer(response, 'list', `SELECT ${COLUMNS} ${FROM_ROWS} ORDER BY id LIMIT 50 OFFSET $1`, [
    (Number(query['page']) - 1) * 50,
  ]),
);
app.get('/equals', ({ query }, response) =>
  answer(
    response,
    'equals',
    `SELECT ${COLUMNS} ${FROM_ROWS} AND left(data ->> '2', 200) COLLATE "C" = $1 ORDER BY id LIMIT 50`,
    [query['value']],
  ),
);
app.get('/contains', ({ query }, response) =>
  answer(response, 'contains', `SELECT ${COLUMNS} ${FROM_ROWS} AND data ->> '2' ILIKE $1 ORDER BY id LIMIT 50`, [
    `%${query['value']}%`,
  ]),
);
const server = app.listen(0, '127.0.0.1', () => {
  const address = server.address();
  process.send?.(typeof address === 'object' ? address?.port : address);
});
// The timeout of the product's servers, so that idle connections stay open while the benchmark measures the product.
server.keepAliveTimeout = 65_000;
process.once('disconnect', () => process.exit(0));
