// @vitest-environment happy-dom
import { type AlarmRow, type listAlarms, liveAlarms } from '@voltkeep/contract/alarms'
import { act, useEffect } from 'react'
import { createRoot, type Root } from 'react-dom/client'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { publishLive } from '../../lib/live/live.ts'
import type { List } from './useList.ts'
import { type LiveList, useLiveList } from './useLiveList.ts'

type Alarms = List<typeof listAlarms.input, AlarmRow>

const alarm = (id: string, value = 5) => ({ id, value, status: 1, equipId: `device of ${id}` }) as AlarmRow
/** What the server has: the list's call answers these, by id where ids are asked for. */
let stored: AlarmRow[] = []
let requests: URLSearchParams[] = []
let live: LiveList<AlarmRow>
let root: Root
const retry = vi.fn()

function listOf(changes: Partial<Alarms> = {}): Alarms {
  return {
    rows: stored,
    total: stored.length,
    pageNum: 1,
    pageSize: 10,
    filters: { status: '1', semaphoreName: '过温' },
    isFetching: false,
    isFirst: false,
    readAtMs: Date.now(),
    error: null,
    retry,
    turn: () => undefined,
    ...changes,
  } as Alarms
}

function Page({ list, onLive }: { list: Alarms; onLive: (result: LiveList<AlarmRow>) => void }) {
  const result = useLiveList(list, liveAlarms, {
    anyState: { status: 'all' },
    shows: { devices: ({ equipId }) => equipId },
    isChanged: (before, after) => before.value !== after.value,
  })
  useEffect(() => onLive(result))
  return null
}
const keep = (result: LiveList<AlarmRow>) => {
  live = result
}
const show = (list: Alarms) => act(async () => root.render(<Page list={list} onLive={keep} />))
const push = (event: Parameters<typeof publishLive>[0]) => act(async () => publishLive(event))
const pass = (ms: number) => act(() => vi.advanceTimersByTimeAsync(ms))
const changed = (added: string[], changedIds: string[] = []) =>
  ({ type: 'changed', noun: 'alarms', added, changed: changedIds }) as const

beforeEach(() => {
  vi.useFakeTimers()
  vi.stubGlobal('IS_REACT_ACT_ENVIRONMENT', true)
  vi.stubGlobal('fetch', async (address: string) => {
    const query = new URL(address, 'http://server').searchParams
    requests.push(query)
    const ids = query.get('ids')?.split(',')
    const rows = stored.filter(({ id }) => !ids || ids.includes(id))
    return Response.json({ code: 200, message: '', data: rows, total: rows.length })
  })
  stored = [alarm('10'), alarm('9')]
  requests = []
  root = createRoot(document.createElement('div'))
})
afterEach(async () => {
  await act(async () => root.unmount())
  setHidden(false)
  vi.unstubAllGlobals()
  vi.useRealTimers()
  vi.clearAllMocks()
})

function setHidden(value: boolean): void {
  Object.defineProperty(document, 'hidden', { configurable: true, value })
  document.dispatchEvent(new Event('visibilitychange'))
}

test('a burst of new alarms is one request with the filters of the list, and those that pass wait', async () => {
  await show(listOf())
  stored = [alarm('10'), alarm('9'), alarm('5')]
  await push(changed(['5']))
  await push(changed(['6']))
  await pass(1_000)
  expect(requests.map((query) => [query.get('ids'), query.get('semaphoreName')])).toEqual([['5,6', '过温']])
  expect([live.waitingCount, live.rows.map(({ id }) => id)]).toEqual([1, ['10', '9']])
})

test('a row of the page changes in place, asked whatever the filters', async () => {
  await show(listOf())
  stored = [alarm('10'), alarm('9', 7)]
  await push(changed([], ['9', '3']))
  await pass(1_000)
  expect(
    requests.map((query) => [query.get('ids'), query.get('status'), query.get('semaphoreName')]),
  ).toEqual([['9', 'all', null]])
  expect(live.rows.map(({ value }) => value)).toEqual([5, 7])
  expect([...live.changedKeys]).toEqual(['9'])
  await push({ type: 'changed', noun: 'devices', added: [], changed: ['device of 10'] })
  await pass(3_000)
  expect(requests.at(-1)?.get('ids')).toBe('10')
})

test('what changed between the reading and the connection is found when the stream is ready', async () => {
  await show(listOf({ rows: [], isFetching: true, isFirst: true, readAtMs: 0 }))
  // The reading is under way while the stream registers; an alarm opens in between.
  await push({ type: 'ready' })
  await pass(500)
  expect(requests).toEqual([])
  await show(listOf({ rows: [...stored], total: 2 }))
  stored = [alarm('11'), alarm('10'), alarm('9', 8)]
  await pass(3_000)
  expect(requests.map((query) => query.get('ids'))).toEqual([null])
  expect(live.waitingCount).toBe(1)
  expect(live.rows.map(({ value }) => value)).toEqual([5, 8])
})

test('a reading that begins after the stream was ready is not done again', async () => {
  await show(listOf())
  await push({ type: 'ready' })
  await show(listOf({ isFetching: true }))
  await show(listOf())
  await pass(10_000)
  expect(requests).toEqual([])
})

test('a hidden page asks nothing, and once when it is seen', async () => {
  await show(listOf())
  setHidden(true)
  await push({ type: 'missed', noun: 'dictionary' })
  for (let at = 0; at < 500; at += 1) await push(changed([String(100 + at)]))
  await pass(60_000)
  expect(requests).toEqual([])
  setHidden(false)
  await pass(6_000)
  expect(requests.length).toBe(1)
})

test('a miss is caught up at a moment within the time that the server names, not at once', async () => {
  const random = vi.spyOn(Math, 'random').mockReturnValue(0.8)
  await show(listOf())
  await push({ type: 'missed', noun: 'dictionary', spreadMs: 5_000 })
  await pass(3_900)
  expect(requests.length).toBe(0)
  await pass(200)
  expect(requests.length).toBe(1)
  random.mockRestore()
})

test('a hundred tabs spread their reading after a change of the dictionary', async () => {
  const tabs = Array.from({ length: 100 }, () => createRoot(document.createElement('div')))
  await act(async () => {
    for (const tab of tabs) tab.render(<Page list={listOf()} onLive={() => undefined} />)
  })
  const toldAtMs = Date.now()
  const readInSecond = [0, 0, 0, 0, 0, 0]
  const answer = fetch
  vi.stubGlobal('fetch', (address: string) => {
    const second = Math.floor((Date.now() - toldAtMs) / 1_000)
    readInSecond[second] = (readInSecond[second] ?? 0) + 1
    return answer(address)
  })
  await push({ type: 'missed', noun: 'dictionary', spreadMs: 5_000 })
  await pass(6_000)
  await act(async () => {
    for (const tab of tabs) tab.unmount()
  })
  expect(requests.length).toBe(100)
  // Twenty are expected in each of five seconds; without a spread all would be in the first.
  expect(Math.max(...readInSecond)).toBeLessThan(50)
})

test('what another noun missed is no reason to read', async () => {
  await show(listOf())
  await push({ type: 'missed', noun: 'something else' })
  await pass(10_000)
  expect(requests).toEqual([])
})

test('a list that nobody touches stops counting at its limit, and reads itself again now and then', async () => {
  await show(listOf())
  for (let burst = 0; burst < 30; burst += 1) {
    const ids = Array.from({ length: 10 }, (_, at) => String(1_000 + burst * 10 + at))
    stored = [...ids.map((id) => alarm(id)), alarm('10'), alarm('9')]
    await push(changed(ids))
    await pass(2_000)
  }
  expect([live.waitingCount, live.isOver, live.rows.length]).toEqual([200, true, 2])
  expect(retry).not.toHaveBeenCalled()
  await pass(5 * 60_000)
  expect(retry).toHaveBeenCalledTimes(1)
  expect(live.waitingCount).toBe(0)
})

test('an empty list shows at once what comes', async () => {
  stored = []
  await show(listOf())
  stored = [alarm('11')]
  await push(changed(['11']))
  await pass(1_000)
  expect([retry.mock.calls.length, live.waitingCount]).toEqual([1, 0])
})

test('a list that is in use is left as it is', async () => {
  await show(listOf())
  stored = [alarm('11'), ...stored]
  await push(changed(['11']))
  for (let minute = 0; minute < 20; minute += 1) {
    await pass(60_000)
    window.dispatchEvent(new Event('pointermove'))
  }
  expect([retry.mock.calls.length, live.waitingCount]).toEqual([0, 1])
})
