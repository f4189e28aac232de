// @vitest-environment happy-dom
import { expect, test, vi } from 'vitest'
import { show, shown, until } from '../../../../test/page.tsx'
import { Running } from './Running.tsx'

const list = { rows: [], total: 0, isPending: false, error: null, retry: () => undefined }
const given = { title: '进行中的升级', none: '没有进行中的升级', page: 'upgrade/upgradeTask', search: {} }

test('a failed read is not shown as nothing in progress, and can be retried', async () => {
  const retry = vi.fn()
  show(
    <Running {...given} list={{ ...list, error: new Error('500'), retry }}>
      {() => null}
    </Running>,
  )
  await until(() => expect(shown()).toContain('加载失败'))
  expect(shown()).not.toContain('没有进行中的升级')
  document.querySelector('button')?.click()
  expect(retry).toHaveBeenCalledOnce()
})

test('nothing in progress is said only after a successful read', async () => {
  show(
    <Running {...given} list={list}>
      {() => null}
    </Running>,
  )
  await until(() => expect(shown()).toContain('没有进行中的升级'))
})
