// @vitest-environment happy-dom
import { listDevices } from '@voltkeep/contract/devices'
import { listLogLevels, startLogExtraction } from '@voltkeep/contract/logExtraction'
import { expect, test } from 'vitest'
import { answering, serveAsHost } from '../../../test/host.ts'
import { show, shown, until } from '../../../test/page.tsx'
import { ExtractionForm } from './ExtractionForm.tsx'

const device = { id: '7', code: 'EC20260001', name: '南山一号柜', equipClassify: 'EC', isOnline: 1 }
const level = {
  id: '1',
  equipClassify: 'EC',
  code: 'RUN',
  name: '运行日志',
  fileType: 'txt',
  orderNum: 0,
  version: 1,
}
const mb = 1024 * 1024

test.each([
  [1 * mb, '超过 1 MB 的日志不会保存，提取随即结束；日志较多时请缩小时间范围'],
  [200 * mb, '超过 200 MB 的日志不会保存，提取随即结束；日志较多时请缩小时间范围'],
])(
  'how large a log may be is said before the press, and what becomes of a larger one: %i bytes',
  async (limitBytes, words) => {
    const asked: string[] = []
    const answers: Record<string, { data: unknown; total?: number }> = {
      [listDevices.path]: { data: [device], total: 1 },
      [listLogLevels.path]: { data: [{ ...level, limitBytes }] },
    }
    await serveAsHost((request, response) => {
      const path = new URL(request.url ?? '', 'http://host').pathname.replace(/^\/api/, '')
      asked.push(path)
      answering(200, { code: 200, message: '操作成功', ...(answers[path] ?? { data: [] }) })(
        request,
        response,
      )
    })
    show(<ExtractionForm code={device.code} onStarted={() => undefined} />)
    await until(() => expect(shown()).toContain(words))
    expect(asked).toContain(listLogLevels.path)
    expect(asked).not.toContain(startLogExtraction.path)
  },
)
