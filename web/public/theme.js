// Sets the theme and zoom before the first paint; a file of its own because the content security policy forbids inline scripts.
(() => {
  const root = document.documentElement;
  let choice = null;
  let zoom = null;
  try {
    choice = localStorage.getItem('theme');
    zoom = localStorage.getItem('zoom');
  } catch {
    // Storage may be blocked; the system's theme is used.
  }
  const dark = choice === 'dark' || (choice !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches);
  root.dataset.theme = dark ? 'dark' : 'light';
  if (zoom !== null && Number(zoom) >= 0.5 && Number(zoom) <= 2) root.style.setProperty('--zoom', zoom);
})();
