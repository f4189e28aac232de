const key = 'voltkeep-reloaded'
const onceIn = 60_000

/** After an upgrade of the server an open tab asks for chunks that are gone: it reloads, once. */
export function reloadWhenOutdated(): void {
  window.addEventListener('vite:preloadError', (event) => {
    const last = Number(sessionStorage.getItem(key) ?? 0)
    if (Date.now() - last < onceIn) return
    event.preventDefault()
    sessionStorage.setItem(key, String(Date.now()))
    location.reload()
  })
}
