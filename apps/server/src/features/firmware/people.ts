/**
 * Who decided what a package brings to devices, and which devices these people reach. All organizations share the
 * packages; what a package brings reaches only devices in the scope of everybody who decided about it.
 */
import type { StoppedDecider } from '@voltkeep/contract'
import { type DataScope, everything, isWithinScope, nothing } from '../../domain/access/data-scope.ts'
import {
  type Approved,
  approverOf,
  type Decider,
  type Standing,
  standingScope,
} from '../../domain/access/deciders.ts'
import { type Person, scopesOfPeople } from '../../domain/access/reaches.ts'
import type { Db } from '../../platform/database/database.ts'

/** The bytes of a package: who made the package, and who supplied these bytes. */
export interface Bytes {
  packageId: number
  fileId: string
  maker: Person
  supplier: Person
}

/** What one person made or supplied reaches the devices in the scope alone. */
export interface ReachLimit {
  scope: DataScope
  /** Why a device out of the scope is left out. */
  text: string
  /** Packages that the person made. */
  packageIds: number[]
  /** Bytes that the person supplied. */
  supplied: Pick<Bytes, 'packageId' | 'fileId'>[]
}

/** The limits of bytes as of now, each person's once; none for people whom nothing limits. */
export async function limitsOf(db: Db, all: readonly Bytes[]): Promise<ReachLimit[]> {
  const limits = new Map<string, ReachLimit>()
  const scopes = await scopesOfPeople(
    db,
    all.flatMap(({ maker, supplier }) => [maker, supplier]),
  )
  const limitBy = (person: Person, role: string, scope: DataScope) => {
    const key = `${role} ${person.userId} ${JSON.stringify(person.reach)}`
    const limit = limits.get(key) ?? {
      scope,
      text: textOf(person, role, scope),
      packageIds: [],
      supplied: [],
    }
    limits.set(key, limit)
    return limit
  }
  for (const [index, { packageId, fileId, maker, supplier }] of all.entries()) {
    const [ofMaker = nothing, ofSupplier = nothing] = scopes.slice(index * 2)
    if (ofSupplier !== everything)
      limitBy(supplier, '上传人', ofSupplier).supplied.push({ packageId, fileId })
    if (ofMaker !== everything) limitBy(maker, '创建人', ofMaker).packageIds.push(packageId)
  }
  return [...limits.values()]
}

const textOf = ({ name }: Person, role: string, scope: DataScope) =>
  scope === nothing
    ? `固件${role} ${name} 已不存在，须由系统管理员重新上传文件`
    : `超出固件${role} ${name} 的数据权限`

/** Whether everybody who decided about these bytes reaches a device at that place. */
export const isReached = (
  limits: readonly ReachLimit[],
  { packageId, fileId }: Pick<Bytes, 'packageId' | 'fileId'>,
  place: Parameters<typeof isWithinScope>[1],
): boolean =>
  limits.every(
    ({ packageIds, supplied, scope }) =>
      !(packageIds.includes(packageId) || supplied.some((one) => one.fileId === fileId)) ||
      isWithinScope(scope, place),
  )

/** Which decisions about a package came with its creation, by a function that adds packages. */
export interface WithCreation {
  file: boolean
  automatic: boolean
}

/** Who has to stand for an automatic upgrade. */
export interface AutomaticPeople {
  maker: Person
  supplier: Person
  /** Who switched it on. */
  switcher: Pick<Person, 'userId' | 'name'> & Pick<Decider, 'decidedIn'>
  /** Who agreed to that; null where it needed nobody. */
  approver: Decider | null
  withCreation: WithCreation
}

const insertCodes = ['firmware:insert', 'softwareVersion:insert'] as const
const updateCodes = ['firmware:update', 'softwareVersion:update'] as const

/** The functions by which automatic upgrades are switched on: who agrees to them has one. */
const automaticCodes = [...insertCodes, ...updateCodes]

/** Who agreed to automatic upgrades, as a package or a task of theirs keeps it. */
export const automaticApprover = (approved: Approved, approvedIn: number | null): Decider | null =>
  approverOf(approved, automaticCodes, approvedIn)

/** The functions that who decided last needs: who switched on, or who has supplied another file since. */
export const codesOfLast = (withCreation: WithCreation, isReplaced: boolean) =>
  withCreation.automatic && !isReplaced ? insertCodes : updateCodes

/**
 * The devices that a package may be brought to by itself, or who stops it: maker, supplier, switcher and who agreed must
 * be there, enabled, and still have the function that they decided with.
 */
export function standingOf(
  db: Db,
  { maker, supplier, switcher, approver, withCreation }: AutomaticPeople,
): Promise<Standing> {
  const decider = (
    { userId, name }: Pick<Person, 'userId' | 'name'>,
    role: string,
    functionCodes: readonly string[],
  ): Decider => ({ userId, name, role, functionCodes })
  return standingScope(db, [
    {
      ...decider(switcher, '自动升级开启人', withCreation.automatic ? insertCodes : updateCodes),
      decidedIn: switcher.decidedIn,
    },
    decider(supplier, '固件上传人', withCreation.file ? insertCodes : updateCodes),
    decider(maker, '固件创建人', insertCodes),
    ...(approver ? [approver] : []),
  ])
}

/** Why a package is not offered although it is switched on; null where it is. */
export async function stopOf(db: Db, people: AutomaticPeople): Promise<StoppedDecider | null> {
  return (await standingOf(db, people)).stopped
}
