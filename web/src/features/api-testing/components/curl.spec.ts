/** Specifies the copied command. */
import { expect, it } from 'vitest';
import { curlOf } from './curl.ts';

it('names the crosswalk and the value, and leaves the key to a variable', () =>
  expect(curlOf(12, 'de', false)).toBe(
    [
      `curl -X POST "${window.location.origin}/api/crosswalks/12/translate?record=false" \\`,
      '  -H "Authorization: Bearer $API_KEY" \\',
      '  -H "Content-Type: application/json" \\',
      `  -d '{"values":["de"]}'`,
    ].join('\n'),
  ));

it('leaves record=false out where unmapped values are recorded', () =>
  expect(curlOf(12, 'de', true)).toContain('/api/crosswalks/12/translate" '));

it('keeps quotes, line breaks and variables of the value from the shell', () =>
  expect(curlOf(12, `d'"\n$(x)`, true)).toContain(`-d '{"values":["d'\\''\\"\\n$(x)"]}'`));
