// @vitest-environment happy-dom
import { exportAlarms } from '@voltkeep/contract/alarms'
import { useState } from 'react'
import { expect, test, vi } from 'vitest'
import { serveAsHost } from '../../../test/host.ts'
import { press, show, shown, until } from '../../../test/page.tsx'
import { PageContext } from '../../lib/pages.ts'
import { ExportButton } from './ExportButton.tsx'

test('a long export says how much has come, and can be ended', async () => {
  const gone = Promise.withResolvers<void>()
  await serveAsHost((_request, response) => {
    response.writeHead(200, { 'content-disposition': 'attachment; filename=alarms.xlsx' })
    response.write(Buffer.alloc(200_000))
    response.on('close', () => gone.resolve())
  })
  show(
    <PageContext value={{ title: '', allRole: [exportAlarms.access] }}>
      <ExportButton endpoint={exportAlarms} filters={{}} />
    </PageContext>,
  )
  await press('导出')
  await until(() => expect(shown()).toMatch(/正在导出 [\d.]+ KB/))
  await press('取消导出')
  await until(() => expect(shown()).toContain('已取消导出'))
  expect(shown()).not.toContain('已开始下载')
  await gone.promise
})

// proves: rule silent failures
test('a quiet export that is refused says so on its button and nowhere else, and can be tried again', async () => {
  let asked = 0
  await serveAsHost((_request, response) => {
    asked += 1
    response.writeHead(500, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ code: 500, message: '服务异常', data: null }))
  })
  show(
    <PageContext value={{ title: '', allRole: [exportAlarms.access] }}>
      <ExportButton endpoint={exportAlarms} filters={{}} isQuiet />
    </PageContext>,
  )
  await press('导出')
  await press('导出失败，重试')
  await until(() => expect(asked).toBe(2))
  await until(() => expect(shown()).toBe('导出失败，重试'))
})

function Pages() {
  const [isThere, setThere] = useState(true)
  return (
    <PageContext value={{ title: '', allRole: [exportAlarms.access] }}>
      {isThere ? <ExportButton endpoint={exportAlarms} filters={{}} /> : <p>另一个页面</p>}
      <button type="button" onClick={() => setThere(!isThere)}>
        换页
      </button>
    </PageContext>
  )
}

test('an export goes on while its user is at another page, and is found again on the way back', async () => {
  const away = Promise.withResolvers<void>()
  vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(() => undefined)
  await serveAsHost((_request, response) => {
    response.writeHead(200, { 'content-disposition': 'attachment; filename=alarms.xlsx' })
    response.write(Buffer.alloc(200_000))
    void away.promise.then(() => response.end())
  })
  show(<Pages />)
  await press('导出')
  await until(() => expect(shown()).toMatch(/正在导出 [\d.]+ KB/))
  await press('换页')
  await until(() => expect(shown()).toContain('另一个页面'))
  await press('换页')
  await until(() => expect(shown()).toMatch(/正在导出 [\d.]+ KB/))
  await press('换页')
  away.resolve()
  await until(() => expect(shown()).toContain('已开始下载'))
})
