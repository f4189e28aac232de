import { useEffect } from 'react'
import { createStore } from '../store.ts'
import { texts } from '../texts/index.ts'

// The window's title: the number of alarms that need attention, the open row, the page; tabs cut the end off.

const page = createStore('')
const detail = createStore('')
/** E.g. critical alarms: `(4) 告警管理`. */
export const titleCount = createStore(0)

function write(): void {
  const count = titleCount.get() > 0 ? `(${titleCount.get()}) ` : ''
  const parts = [detail.get(), page.get(), texts.product.name].filter((part) => part !== '')
  document.title = count + parts.join(' · ')
}

for (const part of [page, detail, titleCount]) part.subscribe(write)

/** Names the page in the window's title while the component is mounted. */
export function useTitle(title: string): void {
  useEffect(() => {
    page.set(title)
    write()
    return () => page.set('')
  }, [title])
}

/** Puts the open row of the page's list before the page's name. */
export function useDetailTitle(title: string): void {
  useEffect(() => {
    detail.set(title)
    return () => detail.set('')
  }, [title])
}
