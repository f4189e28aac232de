// @vitest-environment happy-dom
import { liveParameterBatches } from '@voltkeep/contract/parameterBatches'
import { listTasks, type Task } from '@voltkeep/contract/tasks'
import { expect, test } from 'vitest'
import { serveAsHost } from '../../../test/host.ts'
import { press, show, shown, until } from '../../../test/page.tsx'
import { publishLive } from '../../lib/live/live.ts'
import type { Upload } from '../../lib/wire/uploads.ts'
import TaskPanel from './TaskPanel.tsx'
import { useTasks } from './useTasks.ts'

const task: Task = {
  kind: 'deviceImport',
  id: '7',
  subject: '南山一期.xlsx',
  state: 'running',
  done: 0,
  total: 3000,
  failed: 0,
  skipped: 0,
  reason: null,
  createTime: '2026-11-22 10:00:00',
  finishTime: null,
}

/** Answers the tasks as they are at each reading; the last of them stay. */
const serveTasks = (...readings: Task[][]) =>
  serveAsHost((_request, response) => {
    const tasks = readings.length > 1 ? readings.shift() : readings[0]
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ code: 200, message: '', data: { tasks } }))
  })

function Watch() {
  const { data } = useTasks()
  return <p>{data?.tasks.map(({ state }) => state).join()}</p>
}

test('what ends is told wherever its user is, with why it failed', async () => {
  await serveTasks([task], [{ ...task, state: 'failed', reason: '设备编号已存在' }])
  show(<Watch />)
  await until(() => expect(shown()).toContain('running'))
  await until(() => expect(shown()).toContain('导入设备 南山一期.xlsx 失败'))
  expect(shown()).toContain('设备编号已存在')
})

test('a trial that is over is told with what it has come to, and so is the batch that goes on', async () => {
  const batch: Task = { ...task, kind: 'parameterBatch', subject: 'CS2026112200001' }
  const passed = '试行 5 台，成功 5 台；将于 2026-11-22 10:30:00 自动继续'
  await serveTasks(
    [batch],
    [{ ...batch, state: 'paused', reason: passed }],
    [{ ...batch, reason: '试行后已自动继续' }],
    [{ ...batch, state: 'paused', failed: 2, reason: '试行 5 台，成功 3 台，失败 2 台；等待继续' }],
  )
  const changed = () =>
    publishLive({ type: 'changed', noun: liveParameterBatches.noun, added: [], changed: [batch.id] })
  show(<Watch />)
  await until(() => expect(shown()).toContain('running'))
  changed()
  await until(() => expect(shown()).toContain(`批量设置 CS2026112200001 待继续：${passed}`))
  changed()
  await until(() => expect(shown()).toContain('批量设置 CS2026112200001 试行后已自动继续'))
  changed()
  await until(() => expect(shown()).toContain('成功 3 台，失败 2 台；等待继续'))
})

test('what had ended before is no news', async () => {
  await serveTasks([{ ...task, state: 'done' }])
  show(<Watch />)
  await until(() => expect(shown()).toBe('done'))
})

test('a task says how far it is, what of it failed, and offers new secrets for an import that is done', async () => {
  const asked: string[] = []
  const cancelled: string[] = []
  const tasks: Task[] = [
    { ...task, kind: 'parameterBatch', subject: 'CS2026112200001', done: 40, total: 120, failed: 3 },
    { ...task, kind: 'alarmRecovery', subject: null, state: 'done', done: 1200, total: 1200, skipped: 13 },
    { ...task, state: 'done', done: 3000 },
    { ...task, kind: 'logExtraction', id: '8', subject: 'EC1 运行日志', done: 2048, total: null },
  ]
  show(
    <TaskPanel
      tasks={tasks}
      hasFailed={false}
      onRead={() => undefined}
      downloading={[
        { path: listTasks.path, title: '导出设备', bytes: 4096, cancel: () => cancelled.push('导出设备') },
      ]}
      uploading={[]}
      onRenewSecrets={({ id }) => asked.push(id)}
    />,
  )
  await until(() => expect(shown()).toContain('40 / 120 台失败 3'))
  expect(shown()).toContain('1,200 / 1,200 条13 条此前已恢复')
  expect(shown()).toContain('已接收 2 KB')
  expect(shown()).toContain('导出设备已接收 4 KB')
  await press('取消')
  expect(cancelled).toEqual(['导出设备'])
  await press('重新生成密钥')
  expect(asked).toEqual(['7'])
})

test('a file on its way stands among the tasks, and one that has come waits there for its form', async () => {
  const pressed: string[] = []
  const upload: Upload = {
    key: '/firmware/upload {}',
    file: new File([new Uint8Array(4096)], 'bin-2.1.zip'),
    title: '上传固件',
    pathname: '/firmware',
    step: { name: 'sending', bytes: 1024, rate: 0 },
    retry: () => pressed.push('重试'),
    cancel: () => pressed.push('取消'),
  }
  const refused: Upload['step'] = { name: 'failed', message: '文件存储暂时不可用，请稍后重试' }
  show(
    <TaskPanel
      tasks={[{ ...task, kind: 'upgrade', subject: '仓控 2.1', done: 3, total: 12 }]}
      hasFailed={false}
      onRead={() => undefined}
      downloading={[]}
      uploading={[
        upload,
        { ...upload, key: '2', title: '上传广告', step: refused },
        { ...upload, key: '3', title: '上传素材', step: { name: 'kept', answer: {} } },
      ]}
      onRenewSecrets={() => undefined}
    />,
  )
  await until(() => expect(shown()).toContain('上传固件bin-2.1.zip进行中'))
  expect(shown()).toContain('1 KB / 4 KB取消')
  expect(shown()).toContain('上传广告bin-2.1.zip失败文件存储暂时不可用，请稍后重试重试移除')
  expect(shown()).toContain('上传素材bin-2.1.zip已完成已上传，重新打开表单即可继续移除')
  expect(shown()).toContain('升级仓控 2.1进行中3 / 12 个部件')
  await press('取消')
  await press('重试')
  expect(pressed).toEqual(['取消', '重试'])
})
