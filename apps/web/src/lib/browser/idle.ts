// When the user last touched the page: a wall display that nobody touches may show new rows by itself.

let touchedAtMs = Date.now()
const touched = () => {
  touchedAtMs = Date.now()
}
for (const type of ['pointerdown', 'pointermove', 'keydown', 'wheel', 'touchstart']) {
  window.addEventListener(type, touched, { passive: true, capture: true })
}

/** Milliseconds since the last touch of pointer, keys or wheel. */
export function untouchedMs(): number {
  return Date.now() - touchedAtMs
}
