import { isLeaving } from '../lib/leaving.ts'
import { isServed } from '../lib/reload.ts'

const key = 'voltkeep-reloaded'
const onceIn = 60_000

/**
 * After an upgrade of the server an open tab asks for chunks that are gone: it reloads, once. So it does for a
 * chunk that failed while the line was down, since a browser never asks again for a module that failed. While
 * the line is down it does not: a reload would throw the page away for the browser's error page. There
 * `PageFailed` shows.
 */
export function reloadWhenOutdated(): void {
  window.addEventListener('vite:preloadError', () => {
    // A reload would take the place of the page that is asked for.
    if (isLeaving()) return
    void isServed().then((isThere) => {
      const last = Number(sessionStorage.getItem(key) ?? 0)
      if (!isThere || Date.now() - last < onceIn) return
      sessionStorage.setItem(key, String(Date.now()))
      location.reload()
    })
  })
}
