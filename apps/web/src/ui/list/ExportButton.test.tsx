// @vitest-environment happy-dom
import { exportAlarms } from '@voltkeep/contract/alarms'
import { expect, test } from 'vitest'
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
