// Sets the theme and zoom before the first paint; a separate file because the content security policy forbids inline scripts.
(() => {
  const root = document.documentElement;
  let choice = null;
  let zoom = null;
  try {
    choice = localStorage.getItem('theme');
    zoom = localStorage.getItem('zoom');
  } catch {
    // Storage may be blocked: use the theme of the system.
  }
  const dark = choice === 'dark' || (choice !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches);
  root.dataset.theme = dark ? 'dark' : 'light';
  if (zoom !== null && Number(zoom) >= 0.5 && Number(zoom) <= 2) root.style.setProperty('--zoom', zoom);
})();
