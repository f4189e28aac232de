// @vitest-environment happy-dom
import { expect, test } from 'vitest'
import { show, until } from '../../../test/page.tsx'
import { PageContext } from '../../lib/pages.ts'
import { DataTable } from './DataTable.tsx'

const columns = [
  { key: 'code', title: '编号', render: () => 'A' },
  { key: 'operation', title: '操作', codes: ['equip:update', 'equip:delete'], render: () => '…' },
]
const table = (allRole: string[]) => (
  <PageContext value={{ title: '', allRole }}>
    <DataTable label="rows" columns={columns} rows={[{}]} keyOf={() => '1'} isNarrow={false} />
  </PageContext>
)
const titles = () => [...document.querySelectorAll('th')].map(({ textContent }) => textContent)

test('who may do nothing with a row has no column of actions', async () => {
  show(table(['equip:list']))
  await until(() => expect(titles()).toEqual(['编号']))
})

test('who may do one of several things has it', async () => {
  show(table(['equip:delete']))
  await until(() => expect(titles()).toEqual(['编号', '操作']))
})
