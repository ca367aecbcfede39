/** Reads the cells of a column in a row group of a Parquet file, page by page. */
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { Refusal } from '@rdm/contracts';
import { decompress as zstdDecompress } from 'fzstd';
import type { ColumnMetaData, Compressors, PageHeader, SchemaElement } from 'hyparquet';
import { parquetHeader } from 'hyparquet/src/column.js';
import { decompressPage } from 'hyparquet/src/datapage.js';
import type { ReadRange } from '../block-reader.ts';
import type { CellText, CellTextOf, StoredValue } from './cell-texts.ts';
import { encodedValues, type NextValue, plainValues, runsOf } from './stored-values.ts';

/** A page of more bytes is refused, because the bytes of one page of each column are in memory. */
const PAGE_BYTES_MAX = 64 * 1024 * 1024;
/** The maximum number of values of a dictionary, because the whole dictionary is in memory. */
const DICTIONARY_MAX = 1_000_000;
const HEADER_BYTES = 16 * 1024;
/** The header of a page can contain the least and the greatest value, which can be long texts. */
const HEADER_BYTES_MAX = 4 * 1024 * 1024;

const COMPRESSORS: Compressors = {
  GZIP: (bytes, length) => gunzipSync(bytes, { maxOutputLength: length }),
  BROTLI: (bytes, length) => brotliDecompressSync(bytes, { maxOutputLength: length }),
  ZSTD: (bytes, length) => zstdDecompress(bytes, new Uint8Array(length)),
};
const COMPRESSIONS = ['UNCOMPRESSED', 'SNAPPY', ...Object.keys(COMPRESSORS)];

/** A column without lists. A column in a group has a name such as "group.name". */
export interface FlatColumn {
  name: string;
  path: readonly string[];
  element: SchemaElement;
  /** The maximum definition level: the number of optional elements in the path of the column. */
  optionals: number;
  textOf: CellTextOf;
}

/** The cells of a column in a row group. Only `openPage` reads the file. */
export class ColumnCells {
  /** The number of cells left in the open page. */
  left = 0;
  readonly #column: FlatColumn;
  readonly #chunk: ColumnMetaData;
  readonly #read: ReadRange;
  readonly #end: number;
  #at: number;
  #dictionary: readonly CellText[] = [];
  #isMissing: NextValue<boolean> = () => false;
  #cell: NextValue<CellText> = () => MISSING;

  constructor(column: FlatColumn, chunk: ColumnMetaData, read: ReadRange) {
    this.#column = column;
    this.#chunk = chunk;
    this.#read = read;
    const { data_page_offset, dictionary_page_offset, total_compressed_size, codec } = chunk;
    // Some programs write 0 instead of omitting the offset of the dictionary.
    this.#at = Number(dictionary_page_offset || data_page_offset);
    this.#end = this.#at + Number(total_compressed_size);
    if (!COMPRESSIONS.includes(codec)) {
      throw new Refusal(
        'UNSUPPORTED_MEDIA',
        `The Parquet file is compressed with ${codec ?? 'an unknown method'}: write it with Snappy or Zstandard.`,
      );
    }
  }

  /** Returns the next cell of the open page. */
  next(): CellText {
    this.left -= 1;
    return this.#isMissing() ? MISSING : this.#cell();
  }

  /** Opens the next page with cells, and returns the size of the passed pages in bytes. Throws if no page is left. */
  async openPage(): Promise<number> {
    const from = this.#at;
    while (this.left === 0) {
      const header = await this.#readHeader();
      const { compressed_page_size: length, uncompressed_page_size: unpacked } = header;
      if (!(length >= 0 && unpacked >= 0 && this.#at + length <= this.#end))
        throw new RangeError('The page is cut off');
      if (Math.max(length, unpacked) > PAGE_BYTES_MAX) throw largePageRefusal(this.#column.name);
      const bytes = await this.#read(this.#at, length);
      this.#at += length;
      this.#open(header, bytes);
    }
    return this.#at - from;
  }

  async #readHeader(): Promise<PageHeader> {
    const bytesLeft = this.#end - this.#at;
    for (let length = HEADER_BYTES; ; length = HEADER_BYTES_MAX) {
      const bytes = await this.#read(this.#at, Math.min(length, bytesLeft));
      const reader = { view: new DataView(bytes.buffer, bytes.byteOffset, bytes.length), offset: 0 };
      try {
        const header = parquetHeader(reader);
        this.#at += reader.offset;
        return header;
      } catch (error) {
        if (length === HEADER_BYTES_MAX || length >= bytesLeft) throw error;
      }
    }
  }

  #open(header: PageHeader, bytes: Buffer): void {
    const { element } = this.#column;
    switch (header.type) {
      case 'DICTIONARY_PAGE': {
        const count = header.dictionary_page_header?.num_values ?? 0;
        if (count > DICTIONARY_MAX) throw largePageRefusal(this.#column.name);
        const next = plainValues(this.#unpack(bytes, header.uncompressed_page_size), element);
        this.#dictionary = Array.from({ length: count }, () => this.#textOf(next()));
        break;
      }
      case 'DATA_PAGE': {
        const { num_values = 0, encoding = 'PLAIN' } = header.data_page_header ?? {};
        const page = this.#unpack(bytes, header.uncompressed_page_size);
        const valuesAt = this.#column.optionals === 0 ? 0 : 4 + page.readUInt32LE(0);
        this.#openValues(num_values, page.subarray(4, valuesAt), page.subarray(valuesAt), encoding);
        break;
      }
      case 'DATA_PAGE_V2': {
        const page = header.data_page_header_v2;
        if (!page) throw new RangeError('The page has no header');
        const levelBytes = page.repetition_levels_byte_length + page.definition_levels_byte_length;
        const packed = bytes.subarray(levelBytes);
        // A page without values has no compressed bytes.
        const isPacked = page.is_compressed !== false && packed.length > 0;
        const values = isPacked ? this.#unpack(packed, header.uncompressed_page_size - levelBytes) : packed;
        const levels = bytes.subarray(page.repetition_levels_byte_length, levelBytes);
        this.#openValues(page.num_values, levels, values, page.encoding);
        break;
      }
    }
  }

  /** Opens a page with `count` cells. `levels` has the definition levels, which show the missing cells. */
  #openValues(count: number, levels: Buffer, bytes: Buffer, encoding: string): void {
    const { element, optionals } = this.#column;
    // In a damaged header, the number can have another type, such as BigInt.
    if (!Number.isInteger(count) || count < 0) throw new RangeError('The page has no number of values');
    this.left = count;
    const openLevels = (): NextValue<boolean> => {
      if (optionals === 0) return () => false;
      const level = runsOf(levels, bitsFor(optionals));
      return () => level() < optionals;
    };
    this.#isMissing = openLevels();
    if (encoding === 'PLAIN_DICTIONARY' || encoding === 'RLE_DICTIONARY') {
      // A page without values can have no bytes.
      const index = bytes.length === 0 ? () => -1 : runsOf(bytes.subarray(1), bytes.readUInt8(0));
      const dictionary = this.#dictionary;
      this.#cell = () => {
        const cell = dictionary[index()];
        if (cell === undefined) throw new RangeError('The dictionary has no such value');
        return cell;
      };
    } else {
      const countPresent = () => {
        const isMissing = openLevels();
        let present = 0;
        for (let index = 0; index < count; index++) if (!isMissing()) present += 1;
        return present;
      };
      const next = encodedValues(bytes, encoding as Parameters<typeof encodedValues>[1], element, countPresent);
      this.#cell = () => this.#textOf(next());
    }
  }

  #textOf(value: StoredValue): CellText {
    return this.#column.textOf(value as never);
  }

  #unpack(bytes: Buffer, length: number): Buffer {
    const page = decompressPage(bytes, length, this.#chunk.codec, COMPRESSORS);
    return Buffer.from(page.buffer, page.byteOffset, page.length);
  }
}

const MISSING: CellText = { text: '', kind: undefined };

const bitsFor = (max: number): number => 32 - Math.clz32(max);

const largePageRefusal = (column: string): Refusal =>
  new Refusal(
    'TOO_LARGE',
    `The column "${column}" has a page of more than 64 MiB or a dictionary of more than 1,000,000 values: write the file with smaller ones.`,
  );
