// @vitest-environment happy-dom
import { endpoint, keptUpload, nothing, one } from '@voltkeep/contract'
import { Input } from 'antd'
import { useState } from 'react'
import { expect, test } from 'vitest'
import * as z from 'zod/mini'
import { answering, serveAsHost } from '../../../test/host.ts'
import { press, show, shown, until } from '../../../test/page.tsx'
import { dropToken, keepToken } from '../../lib/session.ts'
import { uploads } from '../../lib/wire/uploads.ts'
import { FileField } from './FileField.tsx'
import { FormDialog } from './FormDialog.tsx'

const upload = endpoint({
  method: 'POST',
  path: '/test/upload',
  access: 'signedIn',
  summary: '',
  fileLimitBytes: 1024 * 1024,
  keepsFile: true,
  input: z.object({ file: keptUpload() }),
  reply: one(z.object({ id: z.string(), fileName: z.string(), sizeBytes: z.number() })),
})
const create = endpoint({
  method: 'POST',
  path: '/test/create',
  access: 'signedIn',
  summary: '',
  input: z.object({
    name: z.optional(z.string()),
    annex: z.object({ id: z.string() }, { error: '请上传文件' }),
  }),
  reply: nothing(),
})

function Dialog() {
  return (
    <FormDialog title="广告" endpoint={create} stale={[]} onClose={() => undefined}>
      {({ Field }) => (
        <>
          <Field name="name" label="名称">
            <Input />
          </Field>
          <Field name="annex" label="素材">
            <FileField
              endpoint={upload}
              hint="图片或视频"
              describe={({ fileName, sizeBytes }) => ({ name: fileName, sizeBytes })}
            />
          </Field>
        </>
      )}
    </FormDialog>
  )
}

/** A page with the dialog, which can be left and come back to. */
function Page() {
  const [isOpen, setOpen] = useState(true)
  return (
    <>
      <button type="button" onClick={() => setOpen(!isOpen)}>
        {isOpen ? '离开' : '新增'}
      </button>
      {isOpen && <Dialog />}
    </>
  )
}

const accepted = { code: 200, message: '操作成功', data: { id: '7', fileName: '片.mp4', sizeBytes: 2048 } }
const film = (name = '片.mp4', size = 2048) => new File([new Uint8Array(size)], name)

/** As a user who chooses a file in the browser's dialog. */
async function choose(file: File): Promise<void> {
  await until(() => expect(document.querySelector('input[type=file]')).not.toBeNull())
  const input = document.querySelector('input[type=file]') as HTMLInputElement
  Object.defineProperty(input, 'files', { value: [file], configurable: true })
  input.dispatchEvent(new Event('change', { bubbles: true }))
}

/** As a user who drops files onto what is shown in place of the first. */
function drop(...files: File[]): void {
  const place = [...document.querySelectorAll('button')].find(({ textContent }) =>
    ['选择文件', '删除文件', '取消上传'].includes(textContent ?? ''),
  )?.parentElement as HTMLElement
  const event = new Event('drop', { bubbles: true, cancelable: true })
  Object.defineProperty(event, 'dataTransfer', { value: { files } })
  place.dispatchEvent(event)
}

test('a file that is chosen is uploaded, and its answer is the form’s value', async () => {
  const bodies: string[] = []
  await serveAsHost((request, response) => {
    let body = ''
    request.on('data', (bytes) => {
      body += bytes
    })
    request.on('end', () => {
      bodies.push(body)
      answering(200, request.url === '/api/test/upload' ? accepted : { ...accepted, data: null })(
        request,
        response,
      )
    })
  })
  show(<Dialog />)
  await until(() => expect(shown()).toContain('图片或视频，1 MB 以内'))
  await choose(film())
  await until(() => expect(shown()).toContain('片.mp4删除文件2 KB'))
  expect(bodies[0]).toContain('name="file"; filename="片.mp4"')
  await press('确定')
  await until(() => expect(bodies).toHaveLength(2))
  expect(JSON.parse(bodies[1] ?? '')).toEqual({ annex: { id: '7' } })
})

// proves: rule firmware.file; message 请上传文件
test('a form without its file says so under the field', async () => {
  await serveAsHost(answering(200, accepted))
  show(<Dialog />)
  await press('确定')
  await until(() => expect(shown()).toContain('请上传文件'))
})

// proves: rule advertisement.file; rule firmware.file; message 只能上传一个文件，请先删除当前文件!; constant upload limit
test('a second file is refused until the first is removed', async () => {
  await serveAsHost(answering(200, accepted))
  show(<Dialog />)
  await choose(film())
  await until(() => expect(shown()).toContain('删除文件'))
  drop(film('另.mp4'))
  await until(() => expect(shown()).toContain('只能上传一个文件，请先删除当前文件!'))
  expect(shown()).toContain('片.mp4')
  await press('删除文件')
  await until(() => expect(shown()).toContain('选择文件'))
  expect(shown()).not.toContain('只能上传一个文件')
  drop(film(), film('另.mp4'))
  await until(() => expect(shown()).toContain('只能上传一个文件，请先删除当前文件!'))
})

test('a file over the limit is not sent', async () => {
  let count = 0
  await serveAsHost((request, response) => {
    count += 1
    answering(200, accepted)(request, response)
  })
  show(<Dialog />)
  await choose(film('大.mp4', 1024 * 1024 + 1))
  await until(() => expect(shown()).toContain('文件大小不能超过 1 MB'))
  expect(count).toBe(0)
})

test('a failed upload says why and can be tried again', async () => {
  let count = 0
  await serveAsHost((request, response) => {
    count += 1
    request.resume()
    request.on('end', () =>
      answering(
        count === 1 ? 503 : 200,
        count === 1 ? { code: 503, message: '文件存储暂时不可用，请稍后重试', data: null } : accepted,
      )(request, response),
    )
  })
  show(<Dialog />)
  await choose(film())
  await until(() => expect(shown()).toContain('片.mp4 上传失败'))
  expect(document.querySelector('[role=alert]')?.textContent).toBe('文件存储暂时不可用，请稍后重试')
  await press('重试')
  await until(() => expect(shown()).toContain('片.mp4删除文件2 KB'))
})

test('an upload can be cancelled', async () => {
  // Never answers.
  await serveAsHost((request) => void request.resume())
  show(<Dialog />)
  await choose(film())
  await until(() => expect(shown()).toContain('正在上传 片.mp4'))
  expect(document.querySelector('progress')?.getAttribute('aria-label')).toBe('正在上传 片.mp4')
  await press('取消上传')
  await until(() => expect(shown()).toContain('选择文件'))
  expect(document.querySelector('[role=alert]')).toBeNull()
})

/** What the browser is told when the page is to be left: whether to ask before. */
function asksBeforeLeaving(): boolean {
  const leaving = new Event('beforeunload', { cancelable: true })
  window.dispatchEvent(leaving)
  return leaving.defaultPrevented
}

test('an upload goes on without its form, which has the file when it is opened again', async () => {
  keepToken('t0ken')
  const bodies: string[] = []
  let answer: (() => void) | undefined
  await serveAsHost((request, response) => {
    let body = ''
    request.on('data', (bytes) => {
      body += bytes
    })
    request.on('end', () => {
      bodies.push(body)
      const give = () =>
        answering(200, request.url === '/api/test/upload' ? accepted : { ...accepted, data: null })(
          request,
          response,
        )
      if (request.url === '/api/test/upload') answer = give
      else give()
    })
  })
  show(<Page />)
  await choose(film())
  await until(() => expect(shown()).toContain('正在上传 片.mp4'))
  expect(asksBeforeLeaving()).toBe(true)
  expect(shown()).toContain('转到后台')
  await press('离开')
  await until(() => expect(answer).toBeDefined())
  expect(uploads.get()).toMatchObject([{ file: { name: '片.mp4' }, step: { name: 'sending' } }])
  expect(asksBeforeLeaving()).toBe(true)
  await until(() => expect(shown()).toContain('新增'))
  answer?.()
  await until(() => expect(shown()).toContain('片.mp4 已上传'))
  expect(asksBeforeLeaving()).toBe(false)
  await press('新增')
  await until(() => expect(shown()).toContain('片.mp4删除文件2 KB'))
  expect(uploads.get()).toEqual([])
  await press('确定')
  await until(() => expect(bodies).toHaveLength(2))
  expect(JSON.parse(bodies[1] ?? '')).toEqual({ annex: { id: '7' } })
  dropToken()
})

test('an upload that failed without its form can be tried again in it', async () => {
  let fail: (() => void) | undefined
  await serveAsHost((request, response) => {
    request.resume()
    request.on('end', () => {
      const give = () =>
        answering(503, { code: 503, message: '文件存储暂时不可用，请稍后重试', data: null })(
          request,
          response,
        )
      if (fail) answering(200, accepted)(request, response)
      else fail = give
    })
  })
  show(<Page />)
  await choose(film())
  await until(() => expect(fail).toBeDefined())
  await press('离开')
  await until(() => expect(shown()).toContain('新增'))
  fail?.()
  await until(() => expect(shown()).toContain('片.mp4 上传失败'))
  await press('新增')
  await until(() =>
    expect(document.querySelector('p[role=alert]')?.textContent).toContain('文件存储暂时不可用'),
  )
  await press('重试')
  await until(() => expect(shown()).toContain('片.mp4删除文件2 KB'))
})
