/** The zoom of the page, stored in the browser (specification §2). */
import { ZOOM_DEFAULT, ZOOM_MAX, ZOOM_MIN } from '@rdm/contracts/constants';
import { zoomPage } from '../lib/media/index.ts';

const KEY = 'zoom';

export function clampedZoom(zoom: number): number {
  return Math.min(ZOOM_MAX, Math.max(ZOOM_MIN, Math.round(zoom * 10) / 10));
}

export function storedZoom(): number {
  const stored = localStorage.getItem(KEY);
  return stored === null ? ZOOM_DEFAULT : clampedZoom(Number(stored));
}

/** Zooms the page, and stores the zoom in the browser. */
export function applyZoom(zoom: number): void {
  localStorage.setItem(KEY, String(zoom));
  zoomPage(zoom);
}
