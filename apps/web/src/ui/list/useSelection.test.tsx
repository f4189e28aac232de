// @vitest-environment happy-dom
import { act, useEffect } from 'react'
import { createRoot, type Root } from 'react-dom/client'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { notices } from '../../lib/notices.ts'
import { type Selection, useSelection } from './useSelection.ts'

interface Row {
  id: string
}
const rows = (from: number, count: number): Row[] =>
  Array.from({ length: count }, (_, at) => ({ id: String(from + at) }))

let selection: Selection<Row>
let root: Root
const keep = (result: Selection<Row>) => {
  selection = result
}
function Page({ filters, onSelection }: { filters: object; onSelection: typeof keep }) {
  const result = useSelection<Row>({ filters: filters as never })
  useEffect(() => onSelection(result))
  return null
}
const show = (filters: object) => act(async () => root.render(<Page filters={filters} onSelection={keep} />))
const chosen = () => selection.rows.map(({ id }) => id)

beforeEach(() => {
  vi.stubGlobal('IS_REACT_ACT_ENVIRONMENT', true)
  root = createRoot(document.createElement('div'))
})
afterEach(async () => {
  await act(async () => root.unmount())
  notices.set([])
  vi.unstubAllGlobals()
})

test('rows stay chosen over pages, and fall with other filters', async () => {
  await show({ code: ['A'], pageNum: 1, pageSize: 10 })
  await act(async () => selection.toggle({ id: '1' }))
  await show({ code: ['A'], pageNum: 2, pageSize: 20 })
  await act(async () => selection.togglePage(rows(11, 3)))
  expect(chosen()).toEqual(['1', '11', '12', '13'])
  // A row that was read anew is the same row.
  expect(selection.has({ id: '1' })).toBe(true)
  await show({ code: ['B'], pageNum: 1, pageSize: 10 })
  expect(chosen()).toEqual([])
})

test('the page is chosen whole, then not at all', async () => {
  await show({})
  await act(async () => selection.toggle({ id: '2' }))
  await act(async () => selection.togglePage(rows(1, 3)))
  expect(chosen().sort()).toEqual(['1', '2', '3'])
  await act(async () => selection.togglePage(rows(1, 3)))
  expect(chosen()).toEqual([])
})

test('no more are chosen than a call takes, which is said', async () => {
  await show({})
  await act(async () => selection.togglePage(rows(1, 150)))
  await act(async () => selection.togglePage(rows(151, 100)))
  expect(selection.rows.length).toBe(200)
  expect(notices.get()).toMatchObject([{ kind: 'error', text: '最多选择 200 项' }])
  await act(async () => selection.clear())
  expect(chosen()).toEqual([])
})
