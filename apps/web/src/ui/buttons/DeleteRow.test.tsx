// @vitest-environment happy-dom
import { deleteOperator } from '@voltkeep/contract/operators'
import { expect, test, vi } from 'vitest'
import { answering, serveAsHost } from '../../../test/host.ts'
import { press, show, shown, until } from '../../../test/page.tsx'
import { PageContext } from '../../lib/pages.ts'
import { DeleteRow } from './DeleteButton.tsx'

const words = { title: '删除运营商', action: '删除', cancelled: '已取消删除', done: '删除成功!' }
const row = (allRole: string[], onDeleted: () => void) => (
  <PageContext value={{ title: '运营商', allRole }}>
    <p>一行</p>
    <DeleteRow
      endpoint={deleteOperator}
      input={{ id: '7' }}
      stale={[]}
      words={words}
      asks={['将删除南山运营', false]}
      onDeleted={onDeleted}
    />
  </PageContext>
)

test('who may not delete has no button for it', async () => {
  show(row(['operator:update'], () => undefined))
  await until(() => expect(shown()).toContain('一行'))
  expect(document.querySelectorAll('button')).toHaveLength(0)
})

test('a record that the server has deleted leaves its panel', async () => {
  const onDeleted = vi.fn()
  await serveAsHost(answering(200, { code: 200, message: '', data: null }))
  show(row(['operator:delete'], onDeleted))
  await press('删除')
  await until(() => expect(shown()).toContain('将删除南山运营'))
  expect(onDeleted).not.toHaveBeenCalled()
  await press('删除')
  await until(() => expect(onDeleted).toHaveBeenCalledOnce())
  expect(shown()).toContain('删除成功!')
})

test('a record that the server keeps stays open', async () => {
  const onDeleted = vi.fn()
  await serveAsHost(answering(409, { code: 409, message: '该运营商下还有设备', data: null }))
  show(row(['operator:delete'], onDeleted))
  await press('删除')
  await until(() => expect(shown()).toContain('将删除南山运营'))
  await press('删除')
  await until(() => expect(shown()).toContain('该运营商下还有设备'))
  expect(onDeleted).not.toHaveBeenCalled()
})
