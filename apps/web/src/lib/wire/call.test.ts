// @vitest-environment happy-dom
import { exportAlarms } from '@voltkeep/contract/alarms'
import { updateRole } from '@voltkeep/contract/roles'
import { expect, test, vi } from 'vitest'
import { answering, serveAsHost } from '../../../test/host.ts'
import { CallError, call } from './call.ts'

const role = { id: '2', name: '值班', code: 'DUTY', version: 1 }

test('an error carries the refusal’s name, whatever its sentence says', async () => {
  await serveAsHost(answering(409, { code: 409, message: '已变更', data: null, refusal: 'conflict' }))
  const error = await call(updateRole, role).catch((thrown: unknown) => thrown)
  expect(error).toBeInstanceOf(CallError)
  expect(error).toMatchObject({ code: 409, refusal: 'conflict', message: '已变更' })
})

// proves: message Error; rule other code
test('a refusal without a sentence is told as Error', async () => {
  await serveAsHost(answering(409, { code: 409, message: '', data: null }))
  await expect(call(updateRole, role)).rejects.toMatchObject({ code: 409, message: '操作失败 Error' })
})

test('a proxy’s page in front of a server that is away names no refusal', async () => {
  await serveAsHost((_request, response) => {
    response.writeHead(502, { 'content-type': 'text/html' })
    response.end('<h1>Bad Gateway</h1>')
  })
  await expect(call(updateRole, role)).rejects.toMatchObject({ code: 502, refusal: undefined })
})

// proves: message 提取失败
test.each([
  ['an envelope', 'application/json', '{"code":200,"message":"操作成功","data":null}'],
  ['bytes', 'application/octet-stream', 'PK\u0003\u0004'],
])('a file’s reply without content-disposition is told as 提取失败: %s', async (_what, type, body) => {
  await serveAsHost((_request, response) => {
    response.writeHead(200, { 'content-type': type })
    response.end(body)
  })
  await expect(call(exportAlarms, {})).rejects.toMatchObject({ message: '提取失败' })
})

test('a file’s refusal is told in the server’s words', async () => {
  await serveAsHost(answering(409, { code: 409, message: '设备不在线', data: null, refusal: 'conflict' }))
  await expect(call(exportAlarms, {})).rejects.toMatchObject({ code: 409, message: '设备不在线' })
})

// proves: constant request timeout
test('a request waits 300,000 ms for its answer, and then says so', async () => {
  const asked = Promise.withResolvers<void>()
  await serveAsHost(() => asked.resolve())
  // Only the clock is replaced: the signal that the platform would abort after that time.
  const clock = new AbortController()
  const timeout = vi.spyOn(AbortSignal, 'timeout').mockReturnValue(clock.signal)
  const answer = call(updateRole, role)
  await asked.promise
  clock.abort()
  await expect(answer).rejects.toMatchObject({ code: 0, message: '请求超时，请稍后重试' })
  expect(timeout).toHaveBeenCalledExactlyOnceWith(300_000)
  timeout.mockRestore()
})
