/** Writes the file of the rows that a job rejected: a column with the reasons, then the original columns. */
import { REASON_COLUMN, type RejectedCell, type RowFlaw } from '@rdm/contracts';
import { type Encoding, encodeText } from '@rdm/platform';
import { csv, type Format, type WorkbookFormat } from '../http/download.ts';
import { CELL_CHARACTERS_MAX, fitsWorkbook } from '../http/workbook.ts';
import type { FormattedCell } from '../http/workbook-messages.ts';
import type { ReadModels, ReadRequest, ReadResult } from '../read-models/read-models.ts';
import { sql } from '../read-models/sql.ts';

/** The format of the original file. `metadata` and `header` are bytes in hexadecimal, because rows are read as JSON. */
interface RejectedTable {
  encoding: Encoding;
  delimiter: string;
  metadata: string;
  header: string;
  /** Whether the original is a workbook. Header and rows of a workbook are JSON arrays of cells, in UTF-8. */
  isWorkbook: boolean;
}

export interface RejectedRow {
  line: number;
  isBroken: boolean;
  /** The bytes of the row, as a hexadecimal text. */
  content: string;
  flaws: RowFlaw[];
}

/**
 * Returns undefined if no format is stored: for JSON documents with mappings or relationship values, old imports, and
 * imports without rejected rows.
 */
export async function readRejectedTable(
  readModels: ReadModels,
  request: ReadRequest,
  jobId: number,
): Promise<RejectedTable | undefined> {
  const found = await readModels.read<RejectedTable>(
    request,
    () => sql`SELECT encoding, delimiter, encode(metadata, 'hex') AS metadata, encode(header, 'hex') AS header,
        is_workbook AS "isWorkbook"
      FROM jobs.rejected_tables WHERE job_id = ${jobId}`,
  );
  return found.rows[0];
}

/** A batch ends after this many rows, or with the row that reaches this many bytes. */
const BATCH_ROWS = 1_000;
const BATCH_BYTES = 2 * 1024 * 1024;

/**
 * Yields the rejected rows with all their flaws, in batches. Rows with broken quotation marks are last. The limit of
 * bytes also limits the flaws of a batch, because only a long row can have many flaws.
 */
export async function* readRejectedRows(
  readModels: ReadModels,
  request: ReadRequest,
  jobId: number,
): AsyncGenerator<ReadResult<RejectedRow>> {
  let last = { line: 0, isBroken: false };
  for (;;) {
    const found: ReadResult<RejectedRow> = await readModels.read<RejectedRow>(
      request,
      () => sql`SELECT r.line, r.is_broken AS "isBroken", encode(r.content, 'hex') AS content,
          coalesce((SELECT jsonb_agg(flaw ORDER BY l.id, place)
            FROM jobs.logs l, jsonb_array_elements(l.error_details) WITH ORDINALITY AS f(flaw, place)
            WHERE l.job_id IN (SELECT ${jobId}::bigint
                                UNION SELECT c.job_id FROM jobs.progress c WHERE c.parent_job_id = ${jobId})
              AND l.status = 'ERROR' AND l.record_index = r.line), '[]') AS flaws
        FROM (SELECT *, sum(octet_length(content)) OVER (ORDER BY is_broken, line) - octet_length(content) AS before
                FROM (SELECT * FROM jobs.rejected_rows
                       WHERE job_id = ${jobId} AND (is_broken, line) > (${last.isBroken}, ${last.line})
                       ORDER BY is_broken, line LIMIT ${BATCH_ROWS}) next) r
        WHERE r.before < ${BATCH_BYTES} ORDER BY r.is_broken, r.line`,
    );
    yield found;
    const row = found.rows.at(-1);
    if (!row) return;
    last = row;
  }
}

const LINE_END = '\r\n';
/** Identifies the encoding at the start of a file. Windows-1252 has no such mark. */
const BYTE_ORDER_MARK = '\ufeff';

/** Returns a format that writes rows with the encoding and the delimiter of the original file. */
export function rejectedRowsFormat({ encoding, delimiter, metadata, header }: RejectedTable): Format<RejectedRow> {
  const encoded = (text: string) => encodeText(text, encoding);
  const bytes = (hexadecimal: string) => Buffer.from(hexadecimal, 'hex');
  const end = encoded(LINE_END);
  const isTabbed = delimiter === '\t';
  return {
    contentType: `${isTabbed ? 'text/tab-separated-values' : 'text/csv'}; charset=${encoding}`,
    extension: isTabbed ? 'tsv' : 'csv',
    encoding: 'latin1',
    head: Buffer.concat([
      encoding === 'windows-1252' ? Buffer.alloc(0) : encoded(BYTE_ORDER_MARK),
      bytes(metadata),
      encoded(`${REASON_COLUMN}${delimiter}`),
      bytes(header),
      end,
    ]).toString('latin1'),
    // A broken row can leave a quotation mark open: the quotation mark at the start of the next line closes it.
    row: ({ line, content, flaws }) => {
      const reason = reasonOf('Line', line, flaws);
      const cell = `"${reason.replaceAll('"', '""')}"${delimiter}`;
      return Buffer.concat([encoded(cell), bytes(content), end]).toString('latin1');
    },
    tail: '',
  };
}

/** Returns whether the rejected rows of a job fit into one workbook with this number of columns. */
export async function canFitWorkbook(readModels: ReadModels, request: ReadRequest, jobId: number, columns: number) {
  const found = await readModels.read<{ rows: number; characters: number; longest: number }>(
    request,
    () => sql`SELECT r.rows, r.bytes + l.bytes AS characters, r.longest
      FROM (SELECT count(*) AS rows, coalesce(sum(octet_length(content)), 0)::bigint AS bytes,
                   coalesce(max(octet_length(content)), 0) AS longest FROM jobs.rejected_rows WHERE job_id = ${jobId}) r,
           (SELECT coalesce(sum(octet_length(error_details::text)), 0)::bigint AS bytes FROM jobs.logs
             WHERE job_id IN (SELECT ${jobId}::bigint
                               UNION SELECT c.job_id FROM jobs.progress c WHERE c.parent_job_id = ${jobId})
               AND status = 'ERROR') l`,
  );
  const { rows, characters, longest } = found.one();
  return fitsWorkbook({ rows, columns, characters, longest });
}

/**
 * Returns the formats for rejected rows of a workbook: a workbook with numbers and dates, and a CSV table for rows that
 * do not fit into one workbook.
 */
export function rejectedWorkbookFormats({ header }: RejectedTable): {
  columns: number;
  workbook: WorkbookFormat<RejectedRow>;
  table: Format<RejectedRow>;
} {
  const names = [REASON_COLUMN, ...parseCells<string>(header)];
  const cellsOf = ({ line, content, flaws }: RejectedRow): (RejectedCell | null)[] => [
    reasonOf('Row', line, flaws).slice(0, CELL_CHARACTERS_MAX),
    ...parseCells<RejectedCell>(content).map((cell) => (cell === '' ? null : cell)),
  ];
  return {
    columns: names.length,
    workbook: {
      columns: names.map((name) => ({ name, dataType: 'string' })),
      cells: (row) => cellsOf(row).map(sheetCell),
    },
    table: csv(names, (row) =>
      cellsOf(row).map((cell) => (isTyped(cell) ? ('date' in cell ? cell.date : cell.number) : cell)),
    ),
  };
}

const parseCells = <Cell>(hexadecimal: string): Cell[] => JSON.parse(Buffer.from(hexadecimal, 'hex').toString());

const isTyped = (cell: RejectedCell | null): cell is Extract<RejectedCell, object> =>
  typeof cell === 'object' && cell !== null;

function sheetCell(cell: RejectedCell | null): Exclude<RejectedCell, object> | Date | FormattedCell | null {
  if (!isTyped(cell)) return cell;
  const number = 'date' in cell ? new Date(`${cell.date}T00:00:00Z`) : cell.number;
  return cell.format === undefined ? number : { number, numberFormat: cell.format };
}

const reasonOf = (place: 'Line' | 'Row', line: number, flaws: readonly RowFlaw[]): string =>
  `${place} ${line}: ${flaws.map(describeFlaw).join(' ')}`;

const describeFlaw = ({ column, rule, fix }: RowFlaw): string =>
  `${column === null || column === '' ? '' : `${column}: `}${sentence(rule)} ${sentence(fix)}`;

const sentence = (text: string): string => (/[.!?]$/.test(text) ? text : `${text}.`);
