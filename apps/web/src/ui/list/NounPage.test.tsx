// @vitest-environment happy-dom
import { deleteOperator, insertOperator, searchOperators, updateOperator } from '@voltkeep/contract/operators'
import { expect, test } from 'vitest'
import { answering, serveAsHost } from '../../../test/host.ts'
import { press, show, shown, until } from '../../../test/page.tsx'
import { PageContext } from '../../lib/pages.ts'
import { NounPage } from './NounPage.tsx'
import type { List } from './useList.ts'

interface Row {
  id: string
  name: string
}

const listOf = (rows: readonly Row[]): List<typeof searchOperators.input, Row> => ({
  schema: searchOperators.input,
  rows,
  total: rows.length,
  isWhole: true,
  pageNum: 1,
  pageSize: 10,
  filters: { pageNum: 1, pageSize: 10 },
  cleared: {},
  filterCount: 0,
  isFirst: false,
  isStale: false,
  isFetching: false,
  readAtMs: 1,
  error: null,
  apply: () => undefined,
  reset: () => undefined,
  turn: () => undefined,
  retry: () => undefined,
})

const page = (allRole: string[], rows: readonly Row[] = [{ id: '7', name: '南山运营' }]) => (
  <PageContext value={{ title: '运营商', allRole }}>
    <NounPage
      words={{
        measure: '个',
        add: '新增运营商',
        edit: '编辑',
        empty: '还没有运营商',
        emptyHint: '新增后即可登记设备',
        emptyFiltered: '没有符合条件的运营商',
      }}
      list={listOf(rows)}
      columns={[{ key: 'name', title: '名称', render: ({ name }) => name }]}
      keyOf={({ id }) => id}
      insert={insertOperator}
      update={updateOperator}
      form={({ row, onClose }) => (
        <div role="dialog">
          {row ? `改${row.name}` : '加一个'}
          <button type="button" onClick={onClose}>
            关闭
          </button>
        </div>
      )}
      remove={{
        endpoint: deleteOperator,
        input: ({ id }) => ({ id }),
        words: { title: '删除运营商', action: '删除', cancelled: '已取消删除', done: '删除成功!' },
        asks: ({ name }) => [`将删除${name}`],
        stale: [],
      }}
    />
  </PageContext>
)
const titles = () => [...document.querySelectorAll('th')].map(({ textContent }) => textContent)
const labels = () => [...document.querySelectorAll('button')].map(({ textContent }) => textContent)

// happy-dom has no popovers.
HTMLElement.prototype.hidePopover ??= () => undefined

test('who may only look finds neither a button to add nor a column of actions', async () => {
  show(page(['operator:list']))
  await until(() => expect(titles()).toEqual(['名称']))
  expect(labels()).not.toContain('新增运营商')
})

test('an empty list tells nobody what to do who may not add', async () => {
  show(page(['operator:list'], []))
  await until(() => expect(shown()).toContain('还没有运营商'))
  expect(shown()).not.toContain('新增后即可登记设备')
})

test('an empty list tells those who may add what to do', async () => {
  show(page(['operator:insert'], []))
  await until(() => expect(shown()).toContain('新增后即可登记设备'))
})

test('one form adds, and edits the row that was pressed', async () => {
  show(page(['operator:insert', 'operator:update']))
  await press('新增运营商')
  await until(() => expect(shown()).toContain('加一个'))
  await press('关闭')
  await until(() => expect(shown()).not.toContain('加一个'))
  expect(titles()).toEqual(['名称', '操作'])
  expect(labels()).not.toContain('删除')
  await press('编辑')
  await until(() => expect(shown()).toContain('改南山运营'))
})

test('a row is deleted after a question that names it', async () => {
  const asked: string[] = []
  await serveAsHost((request, response) => {
    asked.push(request.url ?? '')
    answering(200, { code: 200, message: '', data: null })(request, response)
  })
  show(page(['operator:delete']))
  await until(() => expect(titles()).toEqual(['名称', '操作']))
  expect(labels()).not.toContain('编辑')
  await press('删除')
  await until(() => expect(shown()).toContain('将删除南山运营'))
  await press('删除')
  await until(() => expect(shown()).toContain('删除成功!'))
  expect(asked).toEqual(['/api/operator/delete/7'])
})
