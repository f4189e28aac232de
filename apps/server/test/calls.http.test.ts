import type { Method } from '@voltkeep/contract'
import { describe, expect, test } from 'vitest'
import { additions, items } from '../documents/coverage.ts'
import { appOfTests } from './app.ts'

/** The calls of the specification, as `METHOD /path`. */
const specified = items.filter((item) => item.startsWith('call ')).map((item) => item.slice('call '.length))
/** Calls whose path ends in a placeholder for several paths: `/menu{path}`. */
const generic = specified.filter((call) => /[^/]\{/.test(call))
const added = Object.values(additions).flat()

const app = await appOfTests()
const token = await app.asAdmin()
const answer = await fetch(`${app.url}/api/openapi.json`)
const { paths } = (await answer.json()) as { paths: Record<string, Record<string, unknown>> }
/** The verbs per path, as reported by the server. */
const mounted: Map<string, string[]> = new Map(
  Object.entries(paths).map(([path, verbs]) => [
    path.replace(/^\/api/, ''),
    Object.keys(verbs).map((verb) => verb.toUpperCase()),
  ]),
)

describe('the calls of the specification', () => {
  test.each(specified.filter((call) => !generic.includes(call)))('%s is answered', async (call) => {
    const [method, path] = call.split(' ') as [Method, string]
    expect(mounted.get(path)).toContain(method)
    // An empty input and an unknown id: the call is refused for these, never as an unknown call.
    const answer = await app.request(`/api${path.replace(/\{\w+\}/g, '999999999')}`, {
      method,
      headers: path === '/user/logout' || path === '/stream' ? {} : { authorization: token },
    })
    expect(answer.message).not.toBe('接口不存在')
    expect(answer.code).not.toBe(500)
  })

  // proves: call POST /menu{path}; call POST /equip{path}
  test.each(generic)('%s stands for several calls, all of them mounted', (call) => {
    const [method = '', path = ''] = call.split(' ')
    const beginning = `${path.slice(0, path.indexOf('{'))}/`
    const several = [...mounted].filter(([one, verbs]) => one.startsWith(beginning) && verbs.includes(method))
    expect(several.length).toBeGreaterThan(3)
  })
})

test('every mounted call is in the specification, or in the list of additions with a reason', () => {
  const known = new Set([...specified, ...added])
  const unexplained = [...mounted].flatMap(([path, verbs]) =>
    verbs.some((verb) => known.has(`${verb} ${path}`)) ? [] : [`${verbs[0]} ${path}`],
  )
  expect(unexplained).toEqual([])
})

test('every addition is mounted, listed once, and not in the specification', () => {
  const isMounted = (call: string) => {
    const [method = '', path = ''] = call.split(' ')
    return mounted.get(path)?.includes(method) ?? false
  }
  expect(added.filter((call) => !isMounted(call) || specified.includes(call))).toEqual([])
  expect(new Set(added).size).toBe(added.length)
})
