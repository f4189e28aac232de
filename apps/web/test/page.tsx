import { QueryClientProvider } from '@tanstack/react-query'
import { ConfigProvider } from 'antd'
import zhCN from 'antd/es/locale/zh_CN.js'
import type { ReactNode } from 'react'
import { createRoot, type Root } from 'react-dom/client'
import { afterEach, vi } from 'vitest'
import { tellShown } from '../src/lib/firstShown.ts'
import { createQueryClient } from '../src/lib/wire/queryClient.ts'
import { Confirmations } from '../src/ui/buttons/Confirmation.tsx'
import { Notices } from '../src/ui/Notices.tsx'
import { typeInto } from './typing.ts'

// A busy machine is slow, not wrong.
const timeout = 30_000
vi.setConfig({ testTimeout: 60_000 })

let root: Root | undefined

/** Renders the element in a page's surroundings: query client, notices, confirmations. Nothing waits for a first row. */
export function show(element: ReactNode): void {
  tellShown()
  const container = document.body.appendChild(document.createElement('div'))
  root = createRoot(container)
  root.render(
    <ConfigProvider locale={zhCN} button={{ autoInsertSpace: false }}>
      <QueryClientProvider client={createQueryClient()}>
        {element}
        <Notices />
        <Confirmations />
      </QueryClientProvider>
    </ConfigProvider>,
  )
}

/** Waits until the assertion passes. */
export const until = (assertion: () => void | Promise<void>) => vi.waitFor(assertion, { timeout })

/** What can be read on the page. */
export const shown = () => document.body.textContent ?? ''

/** Presses the button with this label once it is there; while a confirmation is shown, one of its own. */
export async function press(label: string): Promise<void> {
  const button = await vi.waitUntil(() => {
    const scope = document.querySelector('dialog') ?? document
    return [...scope.querySelectorAll('button')].find(({ textContent }) => textContent === label)
  }, timeout)
  button.click()
}

/** The field's input, once it is there. */
export async function field(id: string): Promise<HTMLInputElement> {
  return vi.waitUntil(() => document.getElementById(id) as HTMLInputElement | null, timeout)
}

/** Types the text into the field, in place of what it has. */
export async function fill(id: string, text: string): Promise<void> {
  typeInto(await field(id), text)
}

afterEach(() => {
  root?.unmount()
  root = undefined
  document.body.replaceChildren()
})
