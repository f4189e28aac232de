// @vitest-environment happy-dom
import { expect, test } from 'vitest'
import { show, until } from '../../../test/page.tsx'
import { DataTable } from './DataTable.tsx'

const name = '深圳市南山区科技园北区朗山路七号航空电子工程研发大厦'
const columns = [
  { key: 'index', title: '序号', width: 56, render: () => '1' },
  { key: 'level', title: '级别', width: 72, render: () => '紧急' },
  { key: 'device', title: '设备编号', fixed: 'left' as const, render: () => 'EC01' },
  { key: 'note', title: '处理说明', render: () => '' },
]
const table = (isNarrow: boolean) => (
  <DataTable
    label="告警"
    columns={columns}
    rows={[{}]}
    keyOf={() => '1'}
    isNarrow={isNarrow}
    card={() => ({ lead: name, second: 'EC01' })}
  />
)

test('a fixed column behind others that scroll stops at the fixed ones before those', async () => {
  show(table(false))
  const head = () => [...document.querySelectorAll('th')]
  await until(() => expect(head().length).toBe(4))
  expect(head().map(({ style, dataset }) => [style.left, dataset.fixed, dataset.inner])).toEqual([
    ['0px', 'left', undefined],
    ['', undefined, undefined],
    ['56px', 'left', 'true'],
    ['', undefined, undefined],
  ])
})

test('a line of a card that is cut tells the whole under the pointer; one that is not has no tooltip', async () => {
  show(table(true))
  const lines = () => [...document.querySelectorAll<HTMLElement>('li [data-cell]')]
  await until(() => expect(lines().length).toBe(2))
  const [lead, second] = lines() as [HTMLElement, HTMLElement]
  Object.defineProperty(lead, 'scrollWidth', { value: 400 })
  for (const each of [lead, second]) {
    Object.defineProperty(each, 'clientWidth', { value: 300 })
    each.dispatchEvent(new MouseEvent('pointerover', { bubbles: true }))
  }
  expect([lead.title, second.title]).toEqual([name, ''])
})
