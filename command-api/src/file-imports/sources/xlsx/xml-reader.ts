/** Parses the XML of a part of a workbook piece by piece, in bounded memory. */
import { StringDecoder } from 'node:string_decoder';
import { SaxesParser } from 'saxes';

/** The maximum length of a token: a tag, a text, or the comments between two tags. */
const TOKEN_CHARACTERS_MAX = 1024 * 1024;
const DEPTH_MAX = 100;

export interface XmlHandlers {
  /** An element begins; `name` has no prefix. */
  open?(name: string, attributes: Readonly<Record<string, string>>): void;
  text?(text: string): void;
  close?(name: string): void;
}

/**
 * Thrown for damaged XML, for XML beyond a limit, and for a DOCTYPE. The message about a limit or a DOCTYPE is shown to
 * users after the name of the part, such as "sheet1.xml …". The message about damage is not shown to users.
 */
export class XmlError extends Error {
  readonly reason: 'damage' | 'limit' | 'doctype';
  constructor(reason: XmlError['reason'], message: string) {
    super(message);
    this.reason = reason;
  }
}

const localName = (name: string): string => name.slice(name.indexOf(':') + 1);

/** Returns a function that parses the next piece of a part, or ends the part on undefined. It throws `XmlError`. */
export function xmlReader(handlers: XmlHandlers): (piece: Buffer | undefined) => void {
  // Set at most seven handlers: with eight, V8 stores the parser's properties in a dictionary, and parsing takes five
  // times as long.
  const parser = new SaxesParser({ position: false });
  let decoder: StringDecoder | undefined;
  let tokenCharacters = 0;
  let depth = 0;
  const startToken = () => {
    tokenCharacters = 0;
  };
  parser.on('error', (error) => {
    throw new XmlError('damage', error.message);
  });
  parser.on('doctype', () => {
    throw new XmlError('doctype', 'declares a DOCTYPE, which workbooks never contain');
  });
  parser.on('opentag', ({ name, attributes }) => {
    startToken();
    depth += 1;
    if (depth > DEPTH_MAX) throw new XmlError('limit', `has more than ${DEPTH_MAX} nested elements`);
    handlers.open?.(localName(name), attributes as Record<string, string>);
  });
  const text = (content: string) => {
    startToken();
    handlers.text?.(content);
  };
  parser.on('text', text);
  parser.on('cdata', text);
  parser.on('closetag', ({ name }) => {
    startToken();
    depth -= 1;
    handlers.close?.(localName(name));
  });
  return (piece) => {
    if (piece === undefined) {
      parser.write(decoder?.end() ?? '').close();
      return;
    }
    decoder ??= new StringDecoder(isUtf16(piece) ? 'utf16le' : 'utf8');
    const characters = decoder.write(piece);
    tokenCharacters += characters.length;
    parser.write(characters);
    if (tokenCharacters > TOKEN_CHARACTERS_MAX) {
      throw new XmlError('limit', `has a text of more than ${TOKEN_CHARACTERS_MAX.toLocaleString('en')} characters`);
    }
  };
}

const isUtf16 = (piece: Buffer): boolean => piece[0] === 0xff && piece[1] === 0xfe;
