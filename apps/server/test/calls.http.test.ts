import type { Method } from '@voltkeep/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { additions, items } from '../documents/coverage.ts'
import { createTestApp, type TestApp } from './app.ts'

/** Those of the specification, each as `METHOD /path`. */
const specified = items.filter((item) => item.startsWith('call ')).map((item) => item.slice('call '.length))
/** Calls whose rest of a path is any of several: `/menu{path}`. */
const generic = specified.filter((call) => /[^/]\{/.test(call))
const added = Object.values(additions).flat()

let app: TestApp
let token: string
/** Path → the verbs that it answers to, as the server itself says. */
let mounted: Map<string, string[]>

beforeAll(async () => {
  app = await createTestApp()
  token = await app.asAdmin()
  const answer = await fetch(`${app.url}/api/openapi.json`)
  const { paths } = (await answer.json()) as { paths: Record<string, Record<string, unknown>> }
  mounted = new Map(
    Object.entries(paths).map(([path, verbs]) => [
      path.replace(/^\/api/, ''),
      Object.keys(verbs).map((verb) => verb.toUpperCase()),
    ]),
  )
})
afterAll(() => app.close())

describe('the calls of the specification', () => {
  test.each(specified.filter((call) => !generic.includes(call)))('%s is answered', async (call) => {
    const [method, path] = call.split(' ') as [Method, string]
    expect(mounted.get(path)).toContain(method)
    // An input that is empty, and an id that nothing has: refused for what it lacks, never as a call that is not there.
    const answer = await app.request(`/api${path.replace(/\{\w+\}/g, '999999999')}`, {
      method,
      headers: path === '/user/logout' || path === '/stream' ? {} : { authorization: token },
    })
    expect(answer.message).not.toBe('接口不存在')
    expect(answer.code).not.toBe(500)
  })

  // proves: call POST /menu{path}; call POST /equip{path}
  test.each(generic)('%s is several, each of them there', (call) => {
    const [method = '', path = ''] = call.split(' ')
    const beginning = `${path.slice(0, path.indexOf('{'))}/`
    const several = [...mounted].filter(([one, verbs]) => one.startsWith(beginning) && verbs.includes(method))
    expect(several.length).toBeGreaterThan(3)
  })
})

test('every call that is mounted is one of the specification, or stands with its reason among the others', () => {
  const known = new Set([...specified, ...added])
  const unexplained = [...mounted].flatMap(([path, verbs]) =>
    verbs.some((verb) => known.has(`${verb} ${path}`)) ? [] : [`${verbs[0]} ${path}`],
  )
  expect(unexplained).toEqual([])
})

test('what stands among the others is mounted, once, and no call of the specification', () => {
  const isMounted = (call: string) => {
    const [method = '', path = ''] = call.split(' ')
    return mounted.get(path)?.includes(method) ?? false
  }
  expect(added.filter((call) => !isMounted(call) || specified.includes(call))).toEqual([])
  expect(new Set(added).size).toBe(added.length)
})
