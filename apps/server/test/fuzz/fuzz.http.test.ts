import { createRandom } from '@voltkeep/simulator/random'
import { describe, expect, test } from 'vitest'
import { appOfTests } from '../app.ts'
import { insertDevice } from '../factories.ts'
import { times } from '../long.ts'
import { trippingValues } from './hostile.ts'
import { inputFor, jsonWith, placesOf } from './inputs.ts'
import { type FuzzedRequest, faultOf, fuzzed, isTaken, randomRequest, requestOf } from './requests.ts'

// With LONG=1 every value is sent in every place. A longer version, with any number of requests and a check of the memory,
// is `npm run attack -- --only fuzz`.

const app = await appOfTests({ LOG_LEVEL: 'error' })
const token = await app.asAdmin()
await insertDevice(app.db, { code: 'A1' })

const seed = 20_261_122
const requestCount = times(800, 2_000)
/** Of the values that a schema refuses, every how many is sent. */
const refusedEach = times(8, 1)
const atOnce = 8

async function send({ path, init, endpoint }: Omit<FuzzedRequest, 'what'>): Promise<string | null> {
  const answer = await fetch(`${app.url}${path}`, { ...init, redirect: 'manual' })
  const text = await answer.text()
  return faultOf(endpoint, { status: answer.status, type: answer.headers.get('content-type'), text })
}

async function faultsOf(requests: Iterable<FuzzedRequest>): Promise<string[]> {
  const faults: string[] = []
  const each = requests[Symbol.iterator]()
  const work = async () => {
    for (let next = each.next(); !next.done; next = each.next()) {
      const { what, path, init, endpoint } = next.value
      const fault = await send({ path, init, endpoint }).catch(
        (error: Error) => `no answer: ${error.message}`,
      )
      if (fault) faults.push(`${what}\n    ${fault}`)
    }
  }
  await Promise.all(Array.from({ length: atOnce }, work))
  return faults
}

describe('whatever is sent, the answer is an envelope and not a 500:', () => {
  test('every call with values that break coercions in each field of its input', async () => {
    // Every schema meets every value in each of its places. What it takes goes further, and is sent. What it refuses is
    // answered and recorded in one way for all calls: of these each place gets one, and each value its turn.
    function* requests() {
      let refused = 0
      for (const { endpoint } of fuzzed) {
        const input = inputFor(endpoint)
        for (const place of placesOf(endpoint))
          for (const value of trippingValues) {
            const body = jsonWith(input, place, value)
            if (!isTaken(endpoint, body) && refused++ % refusedEach > 0) continue
            yield requestOf(endpoint, body, token)
          }
        // Another value for the same place of the next call.
        refused += 1
      }
    }
    expect(await faultsOf(requests())).toEqual([])
  }, 300_000)

  test('every call with an input that matches its schema, and with none', async () => {
    function* requests() {
      for (const { endpoint } of fuzzed) {
        yield requestOf(endpoint, JSON.stringify(inputFor(endpoint)), token)
        yield requestOf(endpoint, '{}', token)
        yield requestOf(endpoint, '{}', null)
      }
    }
    expect(await faultsOf(requests())).toEqual([])
  })

  test('random calls, each with some invalid fields', async () => {
    const random = createRandom(seed)
    function* requests() {
      for (let count = 0; count < requestCount; count += 1) yield randomRequest(random, token)
    }
    expect(await faultsOf(requests())).toEqual([])
  }, 300_000)
})

test('the inputs reach fields of lists within lists, and the fuzz test would detect a 500', () => {
  const places = fuzzed.flatMap(({ endpoint }) =>
    placesOf(endpoint).map((place) => `${endpoint.path} ${place.join('.')}`),
  )
  expect(places).toContain('/enum/insert definitions.0.equipClassify')
  expect(places).toContain('/permission/update authorityEntities.0.value.0')
  const [{ endpoint }] = fuzzed as [(typeof fuzzed)[number]]
  const answer = {
    type: 'application/json; charset=utf-8',
    text: '{"code":500,"message":"服务器内部错误","data":null,"refusal":"internal"}',
  }
  expect(faultOf(endpoint, { ...answer, status: 500 })).toContain('500')
  expect(faultOf(endpoint, { ...answer, status: 400, text: '<html>' })).toContain('JSON')
  expect(faultOf(endpoint, { status: 404, type: 'text/html', text: '' })).toContain('no envelope')
})
