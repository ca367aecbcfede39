/** A line of code whose paths wrap before their slashes, never inside a word that fits into a line. */
import { Fragment, type ReactNode } from 'react';

const BEFORE_SLASH = /(?<=[^/])(?=\/)/;

export const breakableCode = (code: ReactNode): ReactNode =>
  typeof code !== 'string'
    ? code
    : code.split(BEFORE_SLASH).map((part, index) => (
        <Fragment key={`${index} ${part}`}>
          {index > 0 && <wbr />}
          {part}
        </Fragment>
      ));
