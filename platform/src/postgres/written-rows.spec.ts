/** Specifies that rows stay unparsed only if JSON.stringify would write the same bytes. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { withUnparsedRows, writtenRows } from './written-rows.ts';

const HEAD = '{"jobId":9,"schemaRevision":1,"keyFieldIds":[11],"fieldIds":[11,12]';
const withRows = (rows: string): object | undefined => withUnparsedRows(Buffer.from(`${HEAD},"rows":${rows}}`));

describe('unparsed rows', () => {
  it('return ids and cells', () => {
    const rows = [
      [64, 'a', 'é\n"\\'],
      [128, 'b', -1.5],
      [192, 'c', true],
      [256, null],
    ];
    const data = withRows(JSON.stringify(rows));
    expect(writtenRows(data)?.ids).toEqual([64, 128, 192, 256]);
    expect(data).toEqual({ jobId: 9, schemaRevision: 1, keyFieldIds: [11], fieldIds: [11, 12], rows });
    expect(JSON.parse(JSON.stringify(data))).toEqual({ ...data });
  });

  it.each([
    ...[
      '[]',
      '[[]]',
      '[[64,"a"] ]',
      '[ [64,"a"]]',
      '[[64, "a"]]',
      '[[64,"a"],]',
      '[[64,"a"]',
      '[[64,"a"]]]',
      '[["a"]]',
    ],
    ...['[[064,"a"]]', '[[-64,"a"]]', '[[64.5,"a"]]', '[[1234567890123456,"a"]]', '[[64,]]', '[[64,"a]]', '[[64,[1]]]'],
    ...['[[64,"\\u0041"]]', '[[64,"\\/"]]', '[[64,"\t"]]', '[[64,tru]]', '[[64,nul', '[[64,truE]]', '[[64,{}]]'],
    ...[
      '[[64,1.0]]',
      '[[64,1e3]]',
      '[[64,-0]]',
      '[[64,-0.0]]',
      '[[64,01]]',
      '[[64,1.]]',
      '[[64,.5]]',
      '[[64,+1]]',
      '[[64,-]]',
    ],
    ...['[[64,0.0000001]]', '[[64,1234567890123456]]', '[[64,1.234567890123456]]'],
  ])('are not made of %s', (rows) => {
    expect(withRows(rows)).toBeUndefined();
  });

  it('are not made of invalid UTF-8 or of data with another form', () => {
    const bytes = Buffer.from(`${HEAD},"rows":[[64,"a"]]}`);
    bytes[bytes.indexOf('a"]]')] = 0xff;
    expect(withUnparsedRows(bytes)).toBeUndefined();
    expect(withUnparsedRows(Buffer.from('{"a":{"b":1,"rows":[[64,"a"]]}}'))).toBeUndefined();
    expect(withUnparsedRows(Buffer.from('{"ids":[1]}'))).toBeUndefined();
  });

  it('are made only of text that JSON.stringify would write', () => {
    const number = fc.oneof(
      fc.integer().map(String),
      fc.tuple(fc.integer(), fc.stringMatching(/^[0-9]{1,9}$/)).map(([whole, part]) => `${whole}.${part}`),
      fc.stringMatching(/^-?[0-9]{1,3}(?:\.[0-9]{1,12})?(?:e-?[0-9])?$/),
    );
    fc.assert(
      fc.property(
        fc.array(
          fc.oneof(
            number,
            fc.string().map((text) => JSON.stringify(text)),
          ),
        ),
        (cells) => {
          const rows = `[[${[64, ...cells].join(',')}]]`;
          if (withRows(rows)) expect(JSON.stringify(JSON.parse(rows))).toBe(rows);
        },
      ),
      { numRuns: 1_000 },
    );
  });
});
