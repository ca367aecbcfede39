/** Starts the web app in the browser. */
import '../lib/forms/zod-jitless.ts';
import '../styles/tokens.css';
import '../styles/print.css';
import { installIssueWords } from '@rdm/contracts/text/issue-words';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { RouterProvider } from 'react-router-dom';
import { zoomPage } from '../lib/media/index.ts';
import { followSystemTheme } from '../lib/theme/index.ts';
import { blockPageMenus } from './block-page-menus.ts';
import { Providers } from './providers.tsx';
import { router } from './router.tsx';
import { storedZoom } from './zoom.ts';

const root = document.getElementById('root');
if (root === null) throw new Error('index.html has no element "root"');

installIssueWords();
blockPageMenus(document);
followSystemTheme();
zoomPage(storedZoom());
createRoot(root).render(
  <StrictMode>
    <Providers>
      <RouterProvider router={router} />
    </Providers>
  </StrictMode>,
);
