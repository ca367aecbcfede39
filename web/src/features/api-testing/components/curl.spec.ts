/** Tests the copied curl command. */
import { expect, it } from 'vitest';
import { curlOf } from './curl.ts';

it('the command contains the crosswalk and the value, and a variable in place of the key', () =>
  expect(curlOf(12, 'de', false)).toBe(
    [
      `curl -X POST "${window.location.origin}/api/crosswalks/12/translate?record=false" \\`,
      '  -H "Authorization: Bearer $API_KEY" \\',
      '  -H "Content-Type: application/json" \\',
      `  -d '{"values":["de"]}'`,
    ].join('\n'),
  ));

it('the command omits record=false if unmapped values are recorded', () =>
  expect(curlOf(12, 'de', true)).toContain('/api/crosswalks/12/translate" '));

it('the command passes quotes, line breaks and shell expressions of the value unchanged', () =>
  expect(curlOf(12, `d'"\n$(x)`, true)).toContain(`-d '{"values":["d'\\''\\"\\n$(x)"]}'`));
