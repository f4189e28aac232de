import { createStore } from './store.ts'

// Short messages of the product: one line at the top that disappears by itself. Plain React, since the sign-in page
// shows them too.

export interface Notice {
  id: number
  kind: 'success' | 'error' | 'info'
  text: string
  /** A second, quieter line, e.g. the request id that support will ask for. */
  detail?: string | undefined
}

/** How long an error stays, by the specification. */
const errorMs = 5_000
const successMs = 3_000
const mostAtOnce = 4

export const notices = createStore<readonly Notice[]>([])
let lastId = 0

function show(kind: Notice['kind'], text: string, detail: string | undefined, forMs: number): void {
  const same = notices.get().find((notice) => notice.kind === kind && notice.text === text)
  if (same) return
  lastId += 1
  const notice: Notice = { id: lastId, kind, text, detail }
  notices.set([...notices.get(), notice].slice(-mostAtOnce))
  setTimeout(() => dismiss(notice.id), forMs)
}

export function dismiss(id: number): void {
  notices.set(notices.get().filter((notice) => notice.id !== id))
}

export const notify = {
  success: (text: string) => show('success', text, undefined, successMs),
  info: (text: string) => show('info', text, undefined, successMs),
  error: (text: string, detail?: string) => show('error', text, detail, errorMs),
}
