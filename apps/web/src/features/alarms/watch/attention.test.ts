// @vitest-environment happy-dom
import type { AlarmRow } from '@voltkeep/contract/alarms'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { nameOf, showOnDesktop } from './attention.ts'

const alarm = { code: 'EC01', semaphoreName: '烟感告警', meaning: '仓 3 烟雾', regionName: '' } as AlarmRow

class Shown {
  static permission = 'granted'
  static all: Shown[] = []
  onclick?: () => void
  close = vi.fn()
  title: string
  body: string | undefined
  constructor(title: string, { body }: { body?: string }) {
    this.title = title
    this.body = body
    Shown.all.push(this)
  }
}

beforeEach(() => {
  Shown.permission = 'granted'
  Shown.all = []
  vi.stubGlobal('Notification', Shown)
  vi.stubGlobal('isSecureContext', true)
})
afterEach(() => vi.unstubAllGlobals())

test('any number of alarms is one notification, named by the first', () => {
  showOnDesktop([alarm, { ...alarm, code: 'EC02' }], () => undefined)
  expect(Shown.all).toHaveLength(1)
  expect(Shown.all[0]?.title).toContain('烟感告警 · 仓 3 烟雾')
  expect(Shown.all[0]?.title).toContain('2')
  expect(Shown.all[0]?.body).toBe('EC01')
})

test('a click opens the alarm and puts the notification away', () => {
  const open = vi.fn()
  showOnDesktop([alarm], open)
  Shown.all[0]?.onclick?.()
  expect(open).toHaveBeenCalledOnce()
  expect(Shown.all[0]?.close).toHaveBeenCalledOnce()
})

test('nothing is shown without alarms, without leave, or where the page is not secure', () => {
  showOnDesktop([], () => undefined)
  Shown.permission = 'denied'
  showOnDesktop([alarm], () => undefined)
  Shown.permission = 'granted'
  vi.stubGlobal('isSecureContext', false)
  showOnDesktop([alarm], () => undefined)
  expect(Shown.all).toEqual([])
})

test('an alarm without a meaning in the dictionary has its name alone', () => {
  expect(nameOf({ ...alarm, meaning: null })).toBe('烟感告警')
})
