/** Downloads content that the page created, or a file of the server, under a name. */

/** Downloads a URL. The browser replaces characters of the name that are not allowed. */
export function saveAddress(address: string, name = ''): void {
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
}

export function saveBlob(content: Blob, name: string): void {
  const address = URL.createObjectURL(content);
  saveAddress(address, name);
  URL.revokeObjectURL(address);
}
