// Sets the theme and the zoom before the first paint. A separate file, because the content security policy forbids
// inline scripts.
(() => {
  const root = document.documentElement;
  let choice = null;
  let zoom = null;
  try {
    choice = localStorage.getItem('theme');
    zoom = localStorage.getItem('zoom');
  } catch {
    // Uses the theme of the system if the browser blocks the storage.
  }
  const dark = choice === 'dark' || (choice !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches);
  root.dataset.theme = dark ? 'dark' : 'light';
  if (zoom !== null && Number(zoom) >= 0.5 && Number(zoom) <= 2) root.style.setProperty('--zoom', zoom);
})();
