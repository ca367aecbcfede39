/** Formats the request of the API testing page as a curl command, with a variable in place of the API key. */
import { urlOf } from '../../../lib/api/index.ts';
import { translatePath, translateQuery } from '../api/translate.ts';

const inSingleQuotes = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

export function curlOf(crosswalkId: number, value: string, isRecording: boolean): string {
  const url = window.location.origin + urlOf(translatePath(crosswalkId), translateQuery(isRecording));
  return [
    `curl -X POST "${url}"`,
    `  -H "Authorization: Bearer $API_KEY"`,
    `  -H "Content-Type: application/json"`,
    `  -d ${inSingleQuotes(JSON.stringify({ values: [value] }))}`,
  ].join(' \\\n');
}
