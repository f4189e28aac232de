// @vitest-environment happy-dom
import { beforeEach, expect, test } from 'vitest'
import { answering, serveAsHost } from '../../test/host.ts'
import { press, show, shown, until } from '../../test/page.tsx'
import { admitPreferences, usePreference } from './preferences.ts'

function Density() {
  const [density, choose] = usePreference('density')
  return (
    <>
      <p>density {density ?? 'unset'}</p>
      <button type="button" onClick={() => choose('compact')}>
        compact
      </button>
      <button type="button" onClick={() => choose(undefined)}>
        unset
      </button>
    </>
  )
}

beforeEach(() => admitPreferences({}))

test('a choice applies at once and reaches the server; taking it back says no value', async () => {
  const bodies: unknown[] = []
  await serveAsHost(async (request, response) => {
    bodies.push(JSON.parse((await request.toArray()).join('')))
    answering(200, { code: 200, message: '', data: null })(request, response)
  })
  show(<Density />)
  await press('compact')
  await until(() => expect(shown()).toContain('density compact'))
  await until(() => expect(bodies).toEqual([{ key: 'density', value: 'compact' }]))
  await press('unset')
  await until(() => expect(bodies[1]).toEqual({ key: 'density' }))
  expect(shown()).toContain('density unset')
})

test('a choice applies in the page where the server cannot keep it, which is said', async () => {
  await serveAsHost(answering(503, { code: 503, message: '数据库不可用', data: null }))
  show(<Density />)
  await press('compact')
  await until(() => expect(shown()).toContain('仅在本页有效'))
  expect(shown()).toContain('density compact')
})

test('the last of several quick choices is the one that the server gets last', async () => {
  const values: unknown[] = []
  const first = Promise.withResolvers<void>()
  await serveAsHost(async (request, response) => {
    values.push((JSON.parse((await request.toArray()).join('')) as { value?: unknown }).value)
    await first.promise
    answering(200, { code: 200, message: '', data: null })(request, response)
  })
  show(<Density />)
  await press('compact')
  await until(() => expect(values).toEqual(['compact']))
  await press('unset')
  await press('compact')
  await press('unset')
  first.resolve()
  await until(() => expect(values).toEqual(['compact', undefined]))
})

test('what the server kept of another version of the product is no value', async () => {
  admitPreferences({ density: 'huge', 'pageSize:/alarm/page': 30, gone: 1 })
  show(<Density />)
  await until(() => expect(shown()).toContain('density unset'))
})
