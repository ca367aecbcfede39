/** Lets paths in code wrap before a slash instead of inside a word. Code of several lines is unchanged. */
import { Fragment, type ReactNode } from 'react';

const BEFORE_SLASH = /(?<=[^/])(?=\/[^/])/;

export const breakableCode = (code: ReactNode): ReactNode =>
  typeof code !== 'string' || code.includes('\n')
    ? code
    : code.split(BEFORE_SLASH).map((part, index) => (
        <Fragment key={`${index} ${part}`}>
          {index > 0 && <wbr />}
          {part}
        </Fragment>
      ));
