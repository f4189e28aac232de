import { describe, expect, it } from 'vitest'
import {
  type Arrivals,
  afterReading,
  mostWaiting,
  noArrivals,
  rowsNow,
  withAsked,
  withPage,
} from './liveRows.ts'

interface Row {
  id: string
  value: number
}
const row = (id: string, value = 1): Row => ({ id, value })
const page = [row('10'), row('9')]
const none = { added: [], passing: [], changed: [], rows: [], askedAtMs: 100 }
const empty: Arrivals<Row> = noArrivals

describe('what was asked about ids of the stream', () => {
  it('lets rows that pass the filters wait, whatever their ids, and leaves the page as it is', () => {
    // 5: of an ingest process with a lower block of ids.
    const arrivals = withAsked(empty, { ...none, added: ['11', '5', '12'], passing: ['11', '5'] }, page)
    expect([...arrivals.waiting.keys()]).toEqual(['11', '5'])
    expect(rowsNow(page, arrivals.states)).toEqual(page)
  })

  it('changes a row of the page in place, and keeps none of another page', () => {
    const arrivals = withAsked(empty, { ...none, changed: ['9'], rows: [row('9', 7), row('3', 7)] }, page)
    expect(rowsNow(page, arrivals.states)).toEqual([row('10'), row('9', 7)])
    expect([...arrivals.states.keys()]).toEqual(['9'])
    expect(arrivals.waiting.size).toBe(0)
  })

  it('counts a waiting row once, and no longer when it does not pass any more', () => {
    const once = withAsked(empty, { ...none, added: ['11'], passing: ['11'] }, page)
    const twice = withAsked(once, { ...none, added: ['11'], passing: ['11'] }, page)
    expect(twice.waiting.size).toBe(1)
    expect(withAsked(twice, { ...none, added: ['11'] }, page).waiting.size).toBe(0)
  })

  it('says that the page is stale where a row of it does not come back', () => {
    expect(withAsked(empty, { ...none, changed: ['9'], rows: [row('9')] }, page).isStale).toBe(false)
    expect(withAsked(empty, { ...none, changed: ['9'] }, page).isStale).toBe(true)
  })

  it('keeps no more than a page and a bar need, however long the list stays open', () => {
    let arrivals = empty
    for (let at = 0; at < 20_000; at += 20) {
      const ids = Array.from({ length: 20 }, (_, n) => String(1_000 + at + n))
      const rows = [...ids.map((id) => row(id)), row('9', at)]
      arrivals = withAsked(
        arrivals,
        { ...none, added: ids, passing: ids, changed: [...ids, '9'], rows },
        page,
      )
    }
    expect([arrivals.waiting.size, arrivals.states.size, arrivals.isOver]).toEqual([mostWaiting, 1, true])
  })
})

describe('a page read again behind the one on the screen', () => {
  const first = { rows: page, total: 30, isFirst: true }

  it('finds what is new by where it stands, not by its id', () => {
    // 10 has gone; 8 has moved up from the second page; 5 and 7 are new.
    const now = { rows: [row('5'), row('9', 4), row('8')], total: 30 }
    const arrivals = withPage(empty, now, first, 100)
    expect([...arrivals.waiting.keys()]).toEqual(['5'])
    expect(rowsNow(page, arrivals.states)).toEqual([row('10'), row('9', 4)])
    expect(arrivals.isStale).toBe(false)
  })

  it('is not stale where nothing has changed, and is where something changed elsewhere', () => {
    const now = { rows: page, total: 30 }
    expect(withPage(empty, now, first, 100)).toMatchObject({ isStale: false, isOver: false })
    expect(withPage(empty, { ...now, total: 29 }, first, 100).isStale).toBe(true)
  })

  it('knows only a lower bound where every row is new', () => {
    const now = { rows: [row('20'), row('19')], total: 60 }
    expect(withPage(empty, now, first, 100)).toMatchObject({ isOver: true, isStale: false })
  })

  it('announces nothing on a later page, where rows only move', () => {
    const later = { ...first, isFirst: false }
    const arrivals = withPage(empty, { rows: [row('11'), row('10')], total: 31 }, later, 100)
    expect([arrivals.waiting.size, arrivals.isStale]).toEqual([0, true])
  })
})

it('a new reading forgets what it has seen, and keeps what was asked later', () => {
  const before = withAsked(empty, { ...none, added: ['11'], passing: ['11'], askedAtMs: 100 }, page)
  const later = withAsked(
    before,
    { ...none, added: ['12', '13'], passing: ['12', '13'], askedAtMs: 300 },
    page,
  )
  const changed = withAsked(later, { ...none, rows: [row('9', 4)], askedAtMs: 300 }, page)
  const arrivals = afterReading({ ...changed, isStale: true }, 200, [row('13'), row('11'), row('9')])
  expect([...arrivals.waiting.keys()]).toEqual(['12'])
  expect([...arrivals.states.keys()]).toEqual(['9'])
  expect(arrivals.isStale).toBe(false)
})
