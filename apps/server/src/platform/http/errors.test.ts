import { type RefusalName, refusals } from '@voltkeep/contract'
import { describe, expect, test } from 'vitest'
import { Refusal, refuseInput } from '../calls/refusal.ts'
import { createLog } from '../process/log.ts'
import { createRefusalOf } from './errors.ts'
import { createHttpServer } from './server.ts'

/** The client's answer when a handler throws this. */
async function answerTo(fault: () => unknown) {
  const app = createHttpServer({
    log: createLog({ level: 'silent' }),
    refusalOf: createRefusalOf({ door_code_taken: 'deviceCodeTaken' }),
  })
  app.get('/', async () => fault())
  const answer = await app.inject('/')
  return { status: answer.statusCode, ...answer.json<Record<string, unknown>>() }
}

const thrown = (error: object) => () => {
  throw error
}

describe('the envelope of an error names the refusal:', () => {
  test.each(Object.entries(refusals))('%s', async (name, [code, message]) => {
    expect(await answerTo(thrown(new Refusal(name as RefusalName)))).toMatchObject({
      status: code >= 50_000 ? 401 : code,
      code,
      refusal: name,
      message: expect.stringContaining(message),
    })
  })

  test('a message with a number has the same refusal name', async () => {
    const counted = new Refusal('roleInUse', null, '角色已分配给 3 个用户，不能删除')
    expect(await answerTo(thrown(counted))).toMatchObject({
      refusal: 'roleInUse',
      message: '角色已分配给 3 个用户，不能删除',
    })
  })

  test('a rule about fields is badInput', async () => {
    const problem = { field: 'regionCode', message: '地区最多选3个' }
    expect(await answerTo(() => refuseInput(problem))).toMatchObject({ refusal: 'badInput', data: [problem] })
  })

  test('a violated constraint is its refusal', async () => {
    const taken = Object.assign(new Error(), { code: '23505', constraint: 'door_code_taken' })
    expect(await answerTo(thrown(taken))).toMatchObject({ status: 409, refusal: 'deviceCodeTaken' })
    const deadlock = Object.assign(new Error(), { code: '40P01' })
    expect(await answerTo(thrown(deadlock))).toMatchObject({ status: 409, refusal: 'conflict' })
  })

  test('an internal error is internal', async () => {
    expect(await answerTo(thrown(new TypeError('x is not a function')))).toMatchObject({
      status: 500,
      refusal: 'internal',
    })
  })
})

// proves: rule envelope; message 操作成功
test('the envelope of a success names no refusal', async () => {
  expect(await answerTo(() => ({ code: 200, message: '操作成功', data: null }))).not.toHaveProperty('refusal')
})
