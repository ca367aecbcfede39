/** Downloads content that the page created, or a file from the server, under a name. */

/** Downloads a URL. The browser replaces characters of the name that are not allowed. */
export function saveUrl(url: string, name = ''): void {
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
}

export function saveBlob(content: Blob, name: string): void {
  const url = URL.createObjectURL(content);
  saveUrl(url, name);
  URL.revokeObjectURL(url);
}
