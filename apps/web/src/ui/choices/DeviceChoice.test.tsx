// @vitest-environment happy-dom
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { act } from 'react'
import { createRoot, type Root } from 'react-dom/client'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { typeInto } from '../../../test/typing.ts'
import { type ChosenDevices, DeviceChoice } from './DeviceChoice.tsx'

let root: Root
let place: HTMLElement
/** What the count was asked for. */
let asked: ChosenDevices[] = []
const given = vi.fn<(chosen: ChosenDevices) => void>()
const registered = ['EC1', 'EC2']

beforeEach(() => {
  vi.useFakeTimers()
  vi.stubGlobal('IS_REACT_ACT_ENVIRONMENT', true)
  vi.stubGlobal('fetch', async (address: string, init: RequestInit) => {
    const envelope = (data: unknown) => Response.json({ code: 200, message: '', data })
    // The reference lists that filters choose from.
    if (!address.includes('/equip/choice/count')) return envelope([])
    const chosen = JSON.parse(String(init.body)) as ChosenDevices
    asked.push(chosen)
    if (chosen.isAll === 1) return envelope({ count: 20_001, unknownCodes: [] })
    if (chosen.filters) return envelope({ count: 1_284, unknownCodes: [] })
    const codes = String(chosen.codes).split(',')
    const unknownCodes = codes.filter((code) => !registered.includes(code))
    return envelope({ count: codes.length - unknownCodes.length, unknownCodes })
  })
  asked = []
  place = document.createElement('div')
  document.body.append(place)
  root = createRoot(place)
})
afterEach(async () => {
  await act(async () => root.unmount())
  place.remove()
  vi.unstubAllGlobals()
  vi.useRealTimers()
  vi.clearAllMocks()
})

const show = (value?: ChosenDevices) =>
  act(async () =>
    root.render(
      <QueryClientProvider client={new QueryClient()}>
        <DeviceChoice value={value} onChange={given} />
      </QueryClientProvider>,
    ),
  )
/** Until the pause after typing is over and the answer is shown. */
const rest = async () => {
  for (let at = 0; at < 5; at += 1) await act(() => vi.advanceTimersByTimeAsync(200))
}
const openWay = (name: string) =>
  act(async () => {
    ;[...place.querySelectorAll<HTMLElement>('[role="tab"]')].find((tab) => tab.textContent === name)?.click()
  })
const type = (text: string) =>
  act(async () => {
    const box = place.querySelector('textarea') as HTMLTextAreaElement
    typeInto(box, text)
  })
const text = () => place.textContent?.replace(/\s+/g, ' ') ?? ''

// proves: constant isOnline filter
test('begins with the devices that are online, and says how many they are', async () => {
  await show()
  await rest()
  expect(given).toHaveBeenLastCalledWith({ filters: { isOnline: 1 } })
  expect(asked.at(-1)).toEqual({ filters: { isOnline: 1 } })
  expect(text()).toContain('符合条件 1,284 台')
})

test('by codes gives them comma-joined, counts once after typing, and lists those not found', async () => {
  await show()
  await rest()
  await openWay('按编号')
  expect(text()).toContain('每行输入一个设备编号')
  const before = asked.length
  for (const typed of ['E', 'EC', 'EC1', 'EC1\nEC-9', 'EC1\nEC-9\nX7 ']) await type(typed)
  await rest()
  expect(given).toHaveBeenLastCalledWith({ codes: 'EC1,EC9,X7' })
  expect(asked.slice(before)).toEqual([{ codes: 'EC1,EC9,X7' }])
  expect(text()).toContain('找到 1 台')
  expect(text()).toContain('未找到 2 个编号')
  expect([...place.querySelectorAll('li')].map((item) => item.textContent)).toEqual(['EC9', 'X7'])
})

test('keeps what was entered one way while the other is looked at', async () => {
  await show({ codes: 'EC1,EC2' })
  await rest()
  expect(text()).toContain('找到 2 台')
  await openWay('按条件')
  expect(given).toHaveBeenLastCalledWith({ filters: { isOnline: 1 } })
  await openWay('按编号')
  expect(place.querySelector('textarea')?.value).toBe('EC1\nEC2')
  expect(given).toHaveBeenLastCalledWith({ codes: 'EC1,EC2' })
})

test('without a filter nothing is chosen or counted, and it says how to choose all', async () => {
  await show({ filters: {} })
  await rest()
  expect(asked).toEqual([])
  expect(text()).toContain('请设置条件，或选择“全部设备”')
})

test('all devices are chosen by their own way, with their number', async () => {
  await show()
  await rest()
  await openWay('全部设备')
  await rest()
  expect(given).toHaveBeenLastCalledWith({ isAll: 1 })
  expect(text()).toContain('全部设备 20,001 台')
  await show({ isAll: 1 })
  expect(place.querySelector('[aria-selected="true"]')?.textContent).toBe('全部设备')
})
