/** Parses Turtle and RDF/XML into statements, piece by piece. */
import { isUtf8 } from 'node:buffer';
import { EventEmitter } from 'node:events';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Refusal } from '@rdm/contracts';
import { Parser, type Quad } from 'n3';
import { RdfXmlParser } from 'rdfxml-streaming-parser';
import { decodedPieces } from '../decoded-pieces.ts';
import type { FileBytes } from '../source.ts';

export type RdfFormat = 'turtle' | 'rdfxml';

const FORMAT_NAMES: Record<RdfFormat, string> = { turtle: 'Turtle', rdfxml: 'RDF/XML' };
const DEPTH_MAX = 100;
/** Messages of parsers quote the file, so they are shortened to this many characters. */
const REASON_CHARACTERS_MAX = 200;
/** The maximum length of an entity or base address, because the parser repeats the text at each use. */
const REPEATED_CHARACTERS_MAX = 1_000;

/** Passes all statements of a file to `add`, in their order. */
export async function readStatements(
  file: FileBytes,
  format: RdfFormat,
  encoding: string,
  add: (statement: Quad) => void,
): Promise<void> {
  try {
    await (format === 'turtle' ? readTurtle(file, encoding, add) : readRdfXml(file, encoding, add));
  } catch (error) {
    if (error instanceof Refusal || !(error instanceof Error)) throw error;
    // Repeated entities can make a text longer than a JavaScript string can be.
    if (error instanceof RangeError) throw new Refusal('TOO_LARGE', 'A text of the file is too long.');
    const reason = error.message.slice(0, REASON_CHARACTERS_MAX).replace(/\.$/, '');
    throw new Refusal('INVALID', `The file is not valid ${FORMAT_NAMES[format]}: ${reason}.`);
  }
}

/** Yields the file as texts that contain only whole characters. */
async function* texts(file: FileBytes, encoding: string): AsyncGenerator<string> {
  let incomplete = Buffer.alloc(0);
  for await (const { text, isLast } of decodedPieces(file, encoding)) {
    const bytes = Buffer.concat([incomplete, Buffer.from(text, 'latin1')]);
    const end = isLast ? bytes.length : endOfWholeCharacters(bytes);
    if (!isUtf8(bytes.subarray(0, end))) {
      throw new Refusal('INVALID', 'The file has bytes that are not UTF-8: save it as UTF-8, or choose its encoding.');
    }
    incomplete = bytes.subarray(end);
    if (end > 0) yield bytes.toString('utf8', 0, end);
  }
}

/** Returns the offset of the last character if it is not ASCII, because it may be incomplete; otherwise the length. */
function endOfWholeCharacters(bytes: Buffer): number {
  const CONTINUATION = 0x80;
  let start = bytes.length;
  while (start > 0 && bytes.length - start < 3 && ((bytes[start - 1] as number) & 0xc0) === CONTINUATION) start -= 1;
  return start > 0 && (bytes[start - 1] as number) >= 0xc0 ? start - 1 : bytes.length;
}

/** The part of the parser's internal state that shows how deep the values are nested. */
interface TurtleState {
  _contextStack: readonly unknown[];
}

async function readTurtle(file: FileBytes, encoding: string, add: (statement: Quad) => void): Promise<void> {
  const parser = new Parser({ format: 'text/turtle' });
  const input = new EventEmitter();
  let failure: Error | undefined;
  parser.parse(input, (error, statement) => {
    if (error) failure ??= error;
    else if (statement && !failure) add(statement);
  });
  for await (const text of texts(file, encoding)) {
    input.emit('data', text);
    if (failure) throw failure;
    requireShallow((parser as unknown as TurtleState)._contextStack.length);
  }
  input.emit('end');
  if (failure) throw failure;
}

/** The part of the parser's internal state that has the open elements and the declared entities. */
interface RdfXmlState {
  activeTagStack: readonly { baseIRI?: string }[];
  saxParser: { ENTITIES: Readonly<Record<string, string>> };
}

async function readRdfXml(file: FileBytes, encoding: string, add: (statement: Quad) => void): Promise<void> {
  const parser = new RdfXmlParser();
  const { activeTagStack, saxParser } = parser as unknown as RdfXmlState;
  async function* checkedTexts() {
    for await (const text of texts(file, encoding)) {
      yield text;
      requireShallow(activeTagStack.length);
      const repeated = [...Object.values(saxParser.ENTITIES), activeTagStack.at(-1)?.baseIRI ?? ''];
      if (repeated.some((each) => each.length > REPEATED_CHARACTERS_MAX)) {
        const most = REPEATED_CHARACTERS_MAX.toLocaleString('en');
        throw new Refusal('INVALID', `The file has an entity or a base address of more than ${most} characters.`);
      }
    }
  }
  let refusal: unknown;
  const addAll = async (statements: AsyncIterable<Quad>) => {
    for await (const statement of statements) {
      try {
        add(statement);
      } catch (error) {
        refusal = error;
        throw error;
      }
    }
  };
  await pipeline(Readable.from(checkedTexts()), parser, addAll).catch((error: unknown) => {
    // The pipeline may throw an abort error in place of the refusal that caused it.
    throw refusal ?? error;
  });
  if (activeTagStack.length > 0) throw new Refusal('INVALID', 'The file is incomplete: upload it again.');
}

function requireShallow(depth: number): void {
  if (depth > DEPTH_MAX) {
    throw new Refusal('INVALID', `The file has values that are nested more than ${DEPTH_MAX} times.`);
  }
}
