import { describe, expect, it } from 'vitest'
import type { Endpoint } from './endpoint.ts'
import * as contract from './index.ts'

const endpoints = Object.entries(contract as Record<string, unknown>).flatMap(([name, value]) =>
  typeof value === 'object' && value !== null && 'methods' in value && 'access' in value
    ? [{ name, ...(value as Endpoint) }]
    : [],
)
const fieldsOf = (input: object) => (input as { shape?: object }).shape ?? {}
const names = (list: readonly { name: string }[]) => list.map(({ name }) => name)

describe('the calls of the contract', () => {
  it('are all here', () => {
    expect(endpoints.length).toBeGreaterThan(80)
  })

  it('have a method and a path that no other call has', () => {
    // A parameter stands for any text: /user/:id and /user/:name are the same to a router.
    const addresses = endpoints.flatMap(({ methods, path }) =>
      methods.map((method) => `${method} ${path.replace(/:[^/]+/g, ':')}`),
    )
    expect(addresses.filter((address, index) => addresses.indexOf(address) !== index)).toEqual([])
  })

  it('have a path that begins with a slash and does not end with one', () => {
    expect(names(endpoints.filter(({ path }) => !/^(\/:?[A-Za-z][A-Za-z0-9]*)+$/.test(path)))).toEqual([])
  })

  it('take every parameter of their path', () => {
    const lost = endpoints.filter(({ path, input }) => {
      const shape = fieldsOf(input)
      return [...path.matchAll(/:([A-Za-z0-9]+)/g)].some(([, parameter = '']) => !(parameter in shape))
    })
    expect(names(lost)).toEqual([])
  })

  it('have a summary of one Chinese line, which the operation log shows', () => {
    const bad = endpoints.filter(
      ({ summary }) => !/\p{Script=Han}/u.test(summary) || summary.length > 40 || /[\n。]/.test(summary),
    )
    expect(names(bad)).toEqual([])
  })

  it('that write have a summary of their own; only the same deed at two addresses shares one', () => {
    const accesses = new Map<string, string>()
    const bad = endpoints
      .filter(({ isWrite }) => isWrite)
      .filter(
        ({ summary, access }) =>
          (accesses.get(summary) ?? access) !== access || !accesses.set(summary, access),
      )
    expect(accesses.size).toBeGreaterThan(30)
    expect(names(bad)).toEqual([])
  })

  it('that add something answer 创建成功', () => {
    const added = endpoints.filter(({ name }) => name.startsWith('insert'))
    expect(added.length).toBeGreaterThan(10)
    expect(names(added.filter(({ done }) => done !== '创建成功'))).toEqual([])
  })

  it('that write can be made by POST or DELETE, also where the specification wants GET', () => {
    const bad = endpoints.filter(
      ({ isWrite, methods }) => isWrite && methods.every((method) => method === 'GET'),
    )
    expect(names(bad)).toEqual([])
  })

  it('are for everybody, for anyone signed in, for SYSTEM, or for a function code', () => {
    const bad = endpoints.filter(
      ({ access }) => !/^(public|signedIn|system|[a-z][A-Za-z]*:[a-z][A-Za-z]*)$/.test(access),
    )
    expect(names(bad)).toEqual([])
  })

  it('that take a file have a field for it', () => {
    const bad = endpoints.filter(({ fileLimitBytes, input }) => {
      const shape = fieldsOf(input)
      return (fileLimitBytes !== undefined) !== 'file' in shape
    })
    expect(names(bad)).toEqual([])
  })
})
