import { endpoint, nothing, page } from '@voltkeep/contract/endpoint'
import { expect, test } from 'vitest'
import * as z from 'zod/mini'
import { outgoingOf, queryOf, withoutEmpty } from './outgoing.ts'

const of = (method: 'GET' | 'POST' | 'DELETE', path: string) =>
  endpoint({ method, path, access: 'signedIn', summary: '', input: z.object({}), reply: nothing() })

// proves: rule search payload
test('empty values are dropped, 0 and false are kept', () => {
  expect(
    withoutEmpty({ a: '', b: null, c: undefined, d: [], e: Number.NaN, f: 0, g: false, h: ' ', i: [0] }),
  ).toEqual({ f: 0, g: false, h: ' ', i: [0] })
})

test('a GET carries its input in the query, lists comma-joined', () => {
  expect(
    outgoingOf(of('GET', '/alarm/page'), { code: ['A1', 'A2'], isOnline: 0, name: '', pageNum: 2 }),
  ).toEqual({
    method: 'GET',
    address: '/alarm/page?code=A1,A2&isOnline=0&pageNum=2',
    body: undefined,
  })
})

// proves: rule request
test('a POST carries its input as JSON', () => {
  expect(outgoingOf(of('POST', '/equip/list'), { codes: ['A'], pageSize: 10, note: null })).toEqual({
    method: 'POST',
    address: '/equip/list',
    body: '{"codes":["A"],"pageSize":10}',
  })
})

// proves: rule device codes
test('a search by POST sends several codes comma-joined', () => {
  const input = z.object({})
  const search = endpoint({
    method: 'POST',
    path: '/s',
    access: 'signedIn',
    summary: '',
    input,
    reply: page(input),
  })
  expect(outgoingOf(search, { code: ['A1', 'A2'], isOnline: 0 }).body).toBe('{"code":"A1,A2","isOnline":0}')
})

test('a write says of a list that it is empty, a search nothing', () => {
  const write = endpoint({
    method: 'POST',
    path: '/role/update',
    access: 'signedIn',
    summary: '',
    input: z.object({}),
    reply: nothing(),
    isWrite: true,
  })
  expect(outgoingOf(write, { id: '2', menuIds: [], remark: '' }).body).toBe('{"id":"2","menuIds":[]}')
  expect(outgoingOf(of('POST', '/equip/list'), { codes: [] }).body).toBe('{}')
})

test('path parameters are filled, encoded, and not sent a second time', () => {
  expect(outgoingOf(of('POST', '/alarm/recover/:id'), { id: '7/8', note: '已处理' })).toEqual({
    method: 'POST',
    address: '/alarm/recover/7%2F8',
    body: '{"note":"已处理"}',
  })
  expect(outgoingOf(of('DELETE', '/softwareVersion/delete'), { id: '3' }).address).toBe(
    '/softwareVersion/delete?id=3',
  )
})

test('a path parameter that is missing is a mistake of the caller', () => {
  expect(() => outgoingOf(of('GET', '/equip/detail/:id'), { id: '' })).toThrow('without id')
})

test('a file travels as a form with the fields before it', () => {
  const { body } = outgoingOf(of('POST', '/firmware/upload'), { file: new Blob(['x']), type: 'create' })
  expect(body).toBeInstanceOf(FormData)
  expect([...(body as FormData).keys()]).toEqual(['type', 'file'])
})

test('a query stays readable and survives a round trip', () => {
  const query = queryOf({ startTime: '2026-11-01 00:00:00', name: '仓门&锁=?', code: ['A,1', 'B'] })
  expect(query).toContain('startTime=2026-11-01+00:00:00')
  expect(Object.fromEntries(new URLSearchParams(query))).toEqual({
    startTime: '2026-11-01 00:00:00',
    name: '仓门&锁=?',
    code: 'A,1,B',
  })
})
