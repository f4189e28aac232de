// @vitest-environment happy-dom
import { expect, test } from 'vitest'
import { loginAddress, safeRedirect } from './redirects.ts'

test('only a path of this site is gone to after signing in', () => {
  expect(safeRedirect('/equipment/list?code=A1&pageNum=2')).toBe('/equipment/list?code=A1&pageNum=2')
  for (const asked of [
    null,
    '',
    'equipment',
    '//evil.example',
    '/\\evil.example',
    '/.//evil.example',
    '/..//evil.example',
    '/x/..//evil.example',
    'https://evil.example/',
    '/login?redirect=/x',
  ]) {
    expect(safeRedirect(asked)).toBe('/')
  }
})

test('the path one was on the way to survives the sign-in page', () => {
  const address = loginAddress('/maintenance/exitWarning?code=A1,A2&pageNum=2')
  const asked = new URL(address, 'http://localhost').searchParams.get('redirect')
  expect(safeRedirect(asked)).toBe('/maintenance/exitWarning?code=A1,A2&pageNum=2')
})
