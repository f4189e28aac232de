import { describe, expect, it } from 'vitest'
import * as z from 'zod/mini'
import type { Endpoint } from './endpoint.ts'
import * as contract from './index.ts'

/**
 * Optional lists and objects of writes that limit nothing: empty they are a value, and `''` leaves them as they were.
 * Everything else of this kind is refused where it is empty, since without it the call would reach more.
 */
const emptyIsAValue: Record<string, string> = {
  'insertMapping.commands': 'a mapping without commands',
  'updateMapping.commands': 'a mapping without commands',
  'insertDictionaryEntry.definitions': 'an alarm whose bits have no meaning',
  'updateDictionaryEntry.definitions': 'an alarm whose bits have no meaning',
  'insertEquipType.partTypes': 'a type without parts',
  'updateEquipType.partTypes': 'a type without parts',
  'insertRole.menuIds': 'a role without menus, which may do nothing',
  'updateRole.menuIds': 'a role without menus, which may do nothing',
  'saveBoard.equipModelIds': 'a board of no model',
  'insertApiKey.authorityEntities[].value':
    'this kind does not limit; the specification asks for one of three kinds',
  'insertUser.authorityEntities[].value':
    'this kind does not limit; the specification asks for one of three kinds',
  'previewPermissions.authorityEntities': 'shows what a user without entries sees; nothing is written',
  'previewPermissions.authorityEntities[].value': 'shows what a user without such entries sees',
  'updatePermissions.authorityEntities[].value':
    'this kind does not limit; the specification asks for one of three kinds',
  'insertUpgradeTask.upgradeRule': 'the usual rule',
  'updateUpgradeTask.upgradeRule': 'the usual rule',
  'previewUpgradeTask.upgradeRule': 'the usual rule',
  'insertUpgradeTask.upgradeRule.stages': 'the usual stages',
  'updateUpgradeTask.upgradeRule.stages': 'the usual stages',
  'previewUpgradeTask.upgradeRule.stages': 'the usual stages',
  'insertUpgradeTask.upgradeRule.alarmLevels': 'the gate counts no alarm; which devices are upgraded stays',
  'updateUpgradeTask.upgradeRule.alarmLevels': 'the gate counts no alarm; which devices are upgraded stays',
  'previewUpgradeTask.upgradeRule.alarmLevels': 'the gate counts no alarm; which devices are upgraded stays',
  'insertUpgradeTask.softwareVersionIds': 'the same as softwareVersionId alone; one of the two is required',
  'updateUpgradeTask.softwareVersionIds': 'the same as softwareVersionId alone; one of the two is required',
  'previewUpgradeTask.softwareVersionIds': 'the same as softwareVersionId alone; one of the two is required',
  'upgradeDevices.softwareVersionIds': 'the same as softwareVersionId alone; one of the two is required',
  'upgradeDevices.equipIds': 'the same as equipId alone; one of the two is required',
  'upgradeDevicesByBoard.equipIds': 'the same as equipId alone; one of the two is required',
  'insertDuty.exceptions': 'a rota without exceptions',
  'insertNotifyRule.channelIds': 'tells no channel; somebody to be told is required',
  'insertNotifyRule.userIds': 'tells no such person',
  'insertNotifyRule.roleIds': 'tells nobody by role',
  'insertNotifyRule.steps': 'an alarm that does not escalate',
  'insertNotifyRule.steps[].channelIds': 'tells no channel; somebody to be told is required',
  'insertNotifyRule.steps[].userIds': 'tells no such person',
  'insertNotifyRule.steps[].roleIds': 'tells nobody by role',
  'updateDuty.exceptions': 'a rota without exceptions',
  'updateNotifyRule.channelIds': 'tells no channel; somebody to be told is required',
  'updateNotifyRule.userIds': 'tells no such person',
  'updateNotifyRule.roleIds': 'tells nobody by role',
  'updateNotifyRule.steps': 'an alarm that does not escalate',
  'updateNotifyRule.steps[].channelIds': 'tells no channel; somebody to be told is required',
  'updateNotifyRule.steps[].userIds': 'tells no such person',
  'updateNotifyRule.steps[].roleIds': 'tells nobody by role',
}

/** Fields of which an empty text leaves the call as it is without them, which reaches nothing more. */
const absentIsNoLimit: Record<string, string> = {
  'updateUser.roleIds': 'unchanged',
  'updateUserOfBody.roleIds': 'unchanged',
  'restoreParameterBatch.paramSetRule': 'the rule of the batch',
  'insertMapping.time': 'the time of receipt',
  'insertMapping.messageId': 'a message without an id',
  'insertMapping.checksum': 'a frame without a checksum',
  'updateMapping.checksum': 'a frame without a checksum',
  'updateMapping.time': 'the time of receipt',
  'updateMapping.messageId': 'a message without an id',
}

/** Writes, and the calls that show what one of them would do. */
const walked = Object.entries(contract as Record<string, unknown>).flatMap(([name, value]) => {
  if (typeof value !== 'object' || value === null || !('methods' in value)) return []
  const endpoint = value as Endpoint
  return endpoint.isWrite || name.startsWith('preview') || endpoint === contract.countChosenDevices
    ? [{ name, endpoint }]
    : []
})

interface Optional {
  path: string
  schema: z.ZodMiniType
  empty: unknown
}

/** The optional lists and objects anywhere in a schema. */
function optionalsIn(schema: z.core.$ZodType, path: string, outer: z.ZodMiniType | null): Optional[] {
  const def = (schema as z.core.$ZodTypes)._zod.def
  const here = (empty: unknown) => (outer ? [{ path, schema: outer, empty }] : [])
  switch (def.type) {
    case 'optional':
    case 'default':
      return optionalsIn(def.innerType, path, outer ?? (schema as unknown as z.ZodMiniType))
    case 'pipe':
      return optionalsIn(def.out, path, outer)
    case 'array':
      return [...here([]), ...optionalsIn(def.element, `${path}[]`, null)]
    case 'object':
      return [
        ...here({}),
        ...Object.entries(def.shape).flatMap(([key, field]) => optionalsIn(field, `${path}.${key}`, null)),
      ]
    default:
      return []
  }
}

const optionals = walked.flatMap(({ name, endpoint }) =>
  optionalsIn(endpoint.input as unknown as z.core.$ZodType, name, null).map((one) => ({ ...one, endpoint })),
)

describe('an emptied list or choice of a write', () => {
  it('is met often enough for the walk to have seen the contract', () => {
    expect(optionals.map(({ path }) => path)).toEqual(
      expect.arrayContaining([
        'insertParameterBatch.queryParam.filters.statuses',
        'retryParameterBatch.targetIds',
        'recoverAlarms.alarmLevel',
        'updatePermissions.authorityEntities[].value',
      ]),
    )
  })

  it('is refused, or is a value that reaches no more than before', () => {
    const accepted = optionals.filter(({ schema, path, empty, endpoint }) => {
      const isRefused = !z.safeParse(schema, empty).success || isConditionRefused(endpoint, path)
      return !isRefused && !(path in emptyIsAValue)
    })
    expect(accepted.map(({ path }) => path)).toEqual([])
  })

  it('has a reason only where it is accepted', () => {
    const known = new Map(
      optionals.map(({ path, schema, empty }) => [path, z.safeParse(schema, empty).success]),
    )
    expect(Object.keys(emptyIsAValue).filter((path) => known.get(path) !== true)).toEqual([])
  })

  it('is refused as an empty text as well, at the top of the input', () => {
    const named = optionals.filter(
      ({ path }) => /^\w+\.\w+$/.test(path) && !(path in emptyIsAValue) && !(path in absentIsNoLimit),
    )
    const lifted = named.filter(({ path, schema, endpoint }) => {
      const [, field = ''] = path.split('.')
      if (isCondition(endpoint, path)) return false
      return !endpoint.narrows?.includes(field) || z.safeParse(schema, '').success
    })
    expect(lifted.map(({ path }) => path)).toEqual([])
  })
})

/** Conditions: an empty text counts as absent, as lists send it, and the write is refused where none is left. */
const isCondition = ({ path }: Endpoint, field: string) =>
  (path === contract.recoverAlarms.path && !field.endsWith('.ids')) ||
  path === contract.countChosenDevices.path

/** An empty list among conditions is refused by the object around it. */
function isConditionRefused({ input }: Endpoint, path: string): boolean {
  const [, ...names] = path.split('.')
  const value = names.reduceRight<unknown>((inner, name) => ({ [name]: inner }), []) as object
  // With all that the call requires, or the fields are not compared.
  const { error } = z.safeParse(input as unknown as z.ZodMiniType, { count: 1, note: '已处理', ...value })
  return (
    error?.issues.some(
      (issue) => issue.path.join('.').endsWith(names.join('.')) && !/不能为空/.test(issue.message),
    ) ?? false
  )
}
