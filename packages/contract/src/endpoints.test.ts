import { describe, expect, it } from 'vitest'
import * as z from 'zod/mini'
import { createAdvertisement } from './advertisements.ts'
import { listAlarms } from './alarms.ts'
import type { Access, Endpoint } from './endpoint.ts'
import * as contract from './index.ts'
import { insertParameterBatch } from './parameterBatches.ts'
import { deletePermissions } from './permissions.ts'
import { insertUpgradeTask } from './upgrades.ts'
import { deleteUserByUpdate } from './users.ts'

const endpoints = Object.entries(contract as Record<string, unknown>).flatMap(([name, value]) =>
  typeof value === 'object' && value !== null && 'methods' in value && 'access' in value
    ? [{ name, ...(value as Endpoint) }]
    : [],
)
const fieldsOf = (input: object) => (input as { shape?: object }).shape ?? {}
const wordlessly = 'no words'
const messagesOf = (input: object, value: object): [field: string, message: string][] =>
  z
    .safeParse(input as z.ZodMiniType, value, { error: () => wordlessly })
    .error?.issues.map(({ path, message }) => [path.join('.'), message]) ?? []
const names = (list: readonly { name: string }[]) => list.map(({ name }) => name)

describe('the calls of the contract', () => {
  it('are all in this list', () => {
    expect(endpoints.length).toBeGreaterThan(80)
  })

  it('have a unique method and path', () => {
    // A parameter matches any text: for a router, /user/:id and /user/:name are the same.
    const addresses = endpoints.flatMap(({ methods, path }) =>
      methods.map((method) => `${method} ${path.replace(/:[^/]+/g, ':')}`),
    )
    expect(addresses.filter((address, index) => addresses.indexOf(address) !== index)).toEqual([])
  })

  it('have a path that begins with a slash and does not end with one', () => {
    expect(names(endpoints.filter(({ path }) => !/^(\/:?[A-Za-z][A-Za-z0-9]*)+$/.test(path)))).toEqual([])
  })

  it('have every parameter of their path in their input', () => {
    const lost = endpoints.filter(({ path, input }) => {
      const shape = fieldsOf(input)
      return [...path.matchAll(/:([A-Za-z0-9]+)/g)].some(([, parameter = '']) => !(parameter in shape))
    })
    expect(names(lost)).toEqual([])
  })

  it('have a one-line Chinese summary, which the operation log shows', () => {
    const bad = endpoints.filter(
      ({ summary }) => !/\p{Script=Han}/u.test(summary) || summary.length > 40 || /[\n。]/.test(summary),
    )
    expect(names(bad)).toEqual([])
  })

  it('that write have a unique summary; only the same action at two paths shares one', () => {
    const accesses = new Map<string, Access>()
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

  // proves: message 删除成功!
  it('that delete something answer 删除成功!', () => {
    const deleting = endpoints.filter(
      ({ path }) => path !== deletePermissions.path && /\bdelete\b/.test(path),
    )
    expect(deleting.length).toBeGreaterThan(15)
    expect(names(deleting.filter(({ done }) => done !== '删除成功!'))).toEqual([])
    expect([deleteUserByUpdate.done, deletePermissions.summary]).toEqual(['删除成功!', '重置数据权限'])
  })

  it('have their own message for each required field of an empty input', () => {
    const wordless = endpoints.filter(({ input }) =>
      messagesOf(input, {}).some(([, said]) => said === wordlessly),
    )
    expect(names(wordless)).toEqual([])
  })

  it('report a reversed range together with other problems, but not if one of its ends is invalid', () => {
    const reversed = { startTime: '2026-11-23', endTime: '2026-11-01' }
    const order = ['endTime', '结束时间不能早于开始时间']
    expect(messagesOf(listAlarms.input, { ...reversed, pageSize: 0 })).toEqual([
      ['pageSize', '每页条数不能小于 1'],
      order,
    ])
    expect(messagesOf(listAlarms.input, { ...reversed, startTime: '明天' })).toEqual([
      ['startTime', '开始时间格式应为 YYYY-MM-DD HH:mm:ss'],
    ])
    const ad = { adStartTime: '2026-11-23', adEndTime: '2026-11-01', annexUrl: 'a', fileMame: 'a.png' }
    expect(messagesOf(createAdvertisement.input, ad)).toEqual([
      ['adName', '请输入广告名称'],
      ['adEndTime', '结束时间应晚于开始时间'],
    ])
  })

  // proves: rule upgradeTask.softwareVersionId; rule upgradeTask.upgradeTime
  it.each([
    [
      insertUpgradeTask.path,
      insertUpgradeTask.input,
      [
        ['upgradeTime', '请选择升级时间'],
        ['softwareVersionId', '请选择软件文件'],
      ],
    ],
    [
      insertParameterBatch.path,
      insertParameterBatch.input,
      [
        ['paramSetRule', '请输入下发次数和间隔时间'],
        ['entitys', '请至少添加一个参数'],
        ['queryParam', '请选择设备'],
      ],
    ],
    [
      createAdvertisement.path,
      createAdvertisement.input,
      [
        ['adName', '请输入广告名称'],
        ['adStartTime', '请选择开始时间'],
        ['adEndTime', '请选择结束时间'],
        ['annexUrl', '请上传文件'],
        ['fileMame', '请上传文件'],
      ],
    ],
  ])('report every missing field of an empty form: %s', (_path, input, lacks) => {
    expect(messagesOf(input, {})).toEqual(lacks)
  })

  it('that write can be made by POST or DELETE, even if the specification uses GET', () => {
    const bad = endpoints.filter(
      ({ isWrite, methods }) => isWrite && methods.every((method) => method === 'GET'),
    )
    expect(names(bad)).toEqual([])
  })

  it('are for everybody, for anyone signed in, for SYSTEM, or for a function code', () => {
    const bad = endpoints.filter(
      ({ access }) =>
        ![access]
          .flat()
          .every((one) => /^(public|signedIn|system|[a-z][A-Za-z]*(:[a-z][A-Za-z]*)+)$/.test(one)),
    )
    expect(names(bad)).toEqual([])
  })

  it('that accept a file have a field for it', () => {
    const bad = endpoints.filter(({ fileLimitBytes, input }) => {
      const shape = fieldsOf(input)
      return (fileLimitBytes !== undefined) !== 'file' in shape
    })
    expect(names(bad)).toEqual([])
  })
})
