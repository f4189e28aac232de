// @vitest-environment happy-dom
import { expect, test, vi } from 'vitest'
import { show, until } from '../../../../test/page.tsx'
import type { List } from '../useList.ts'
import { Pager } from './Pager.tsx'

const list = {
  pageNum: 1,
  pageSize: 10,
  total: 1_234,
  isWhole: false,
  turn: () => undefined,
} as unknown as List

// proves: constant pager sizes
test('a page has 10, 20, 30, 50 or 100 rows', async () => {
  show(<Pager list={list} measure="条" isNarrow={false} />)
  const select = await vi.waitUntil(() => document.querySelector<HTMLElement>('.ant-select'), {
    timeout: 30_000,
  })
  select.dispatchEvent(new MouseEvent('mousedown', { bubbles: true }))
  const options = () =>
    [...document.querySelectorAll('.ant-select-item-option')].map(({ textContent }) => textContent)
  await until(() => expect(options()).toEqual(['10 条/页', '20 条/页', '30 条/页', '50 条/页', '100 条/页']))
})

test('a phone shows no pager below the only page, and one where there are more', async () => {
  show(
    <>
      <Pager list={{ ...list, total: 10 }} measure="条" isNarrow />
      <Pager list={list} measure="条" isNarrow />
    </>,
  )
  await until(() => expect(document.querySelectorAll('.ant-pagination')).toHaveLength(1))
})
