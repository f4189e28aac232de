// @vitest-environment happy-dom
import { useState } from 'react'
import { expect, test } from 'vitest'
import { press, show, shown, until } from '../../test/page.tsx'
import { lazyDialog } from './lazyDialog.tsx'

type Dialog = (props: { onClose: () => void }) => React.ReactNode

/** A page with a button that opens this dialog. */
function Page({ Dialog }: { Dialog: React.ComponentType<{ onClose: () => void }> }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <button type="button" onClick={() => setOpen(true)}>
        新增
      </button>
      {isOpen && <Dialog onClose={() => setOpen(false)} />}
    </>
  )
}
const Closing: Dialog = ({ onClose }) => (
  <button type="button" onClick={onClose}>
    取消
  </button>
)
const frame = () => document.querySelector('dialog[open]')

test('the frame of a dialog whose code has not come is open, and the dialog takes its place', async () => {
  const code = Promise.withResolvers<{ default: Dialog }>()
  show(<Page Dialog={lazyDialog(() => code.promise)} />)
  await press('新增')
  await until(() =>
    expect(frame()?.querySelector('[role=status]')?.getAttribute('aria-label')).toBe('加载中'),
  )
  code.resolve({ default: () => <p>新增设备</p> })
  await until(() => expect(shown()).toContain('新增设备'))
  expect(frame()).toBeNull()
})

test('Esc closes the frame, and the dialog does not open when its code comes', async () => {
  const code = Promise.withResolvers<{ default: Dialog }>()
  show(<Page Dialog={lazyDialog(() => code.promise)} />)
  await press('新增')
  await until(() => expect(frame()).not.toBeNull())
  frame()?.dispatchEvent(new Event('cancel', { cancelable: true }))
  await until(() => expect(frame()).toBeNull())
  code.resolve({ default: () => <p>新增设备</p> })
  await code.promise
  expect(shown()).not.toContain('新增设备')
})

test('Esc leaves the frame of a dialog that must be read', async () => {
  const Dialog = lazyDialog(() => new Promise<never>(() => undefined), { isForced: true })
  show(<Page Dialog={Dialog} />)
  await press('新增')
  await until(() => expect(frame()).not.toBeNull())
  frame()?.dispatchEvent(new Event('cancel', { cancelable: true }))
  await Promise.resolve()
  expect(frame()?.querySelector('button')).toBeNull()
})

test('the frame offers to reload the page where the code does not come', async () => {
  show(<Page Dialog={lazyDialog(() => Promise.reject(new TypeError('Failed to fetch')))} />)
  await press('新增')
  await until(() => expect(frame()?.textContent).toBe('重新加载'))
})

test('a dialog whose code has come opens without a frame', async () => {
  let loads = 0
  const Dialog = lazyDialog(async () => {
    loads += 1
    return { default: Closing }
  })
  show(<Page Dialog={Dialog} />)
  await press('新增')
  await press('取消')
  await until(() => expect(shown()).not.toContain('取消'))
  await press('新增')
  await until(() => expect(shown()).toContain('取消'))
  expect(loads).toBe(1)
})
