/** Disables the context menu and the dragging of images (specification §2). */
export function blockPageMenus(document: Document): void {
  document.addEventListener('contextmenu', (event) => event.preventDefault());
  document.addEventListener('dragstart', (event) => {
    if (event.target instanceof HTMLImageElement || event.target instanceof SVGImageElement) event.preventDefault();
  });
}
