import { isServed } from '../lib/browser/reload.ts'
import { isLeaving } from '../lib/leaving.ts'

const key = 'voltkeep-reloaded'
const onceIn = 60_000

/**
 * After an upgrade of the server an open tab requests chunks that are gone: it reloads, once. It does so too for a
 * chunk that failed while the connection was down, since a browser never requests a failed module again. While the
 * connection is down it does not reload, which would replace the page by the browser's error page; `PageFailed` shows
 * instead.
 */
export function reloadWhenOutdated(): void {
  window.addEventListener('vite:preloadError', () => {
    // A reload would replace the page that the browser is going to.
    if (isLeaving()) return
    void isServed().then((isThere) => {
      const last = Number(sessionStorage.getItem(key) ?? 0)
      if (!isThere || Date.now() - last < onceIn) return
      sessionStorage.setItem(key, String(Date.now()))
      location.reload()
    })
  })
}
