// The tree of regions: read by everybody, changed within the caller's own part of it.
import type { insertRegion, ParsedInputFor, RegionNode, updateRegion } from '@voltkeep/contract'
import { scopeOf } from '../../domain/access/data-scope.ts'
import { forgetRegionCode } from '../../domain/access/reaches.ts'
import { forgetRegion, moveRegions } from '../../domain/history/index.ts'
import type { Actor } from '../../platform/calls/actor.ts'
import { Refusal, refuse, refuseInput } from '../../platform/calls/refusal.ts'
import { changing, type Subject } from '../../platform/database/changing.ts'
import type { Db, Trx } from '../../platform/database/database.ts'
import type { Notices } from '../../platform/database/notices/notices.ts'
import { recordOperation } from '../../platform/database/operation-log.ts'
import { treeOf } from '../../platform/database/tree.ts'
import { seededName } from '../../platform/process/language/seeded-names.ts'
import { languageNow } from '../../platform/process/language/speech.ts'
import { isQuiet, readQuiet } from '../alarms/index.ts'
import { fullNameUnder } from './region-names.ts'
import { regionsChanged } from './regions.notices.ts'
import * as queries from './regions.queries.ts'

/** Every page with a filter reads them: 3,200 rows, changed once a year. This also bounds the effect of a lost notice. */
const freshForMs = 60_000

/** From country to village there are five. Without a limit a tree could become too deep to be answered. */
const deepestLevel = 10

export type Regions = ReturnType<typeof createRegions>

/**
 * The tree of regions, which all organizations share. A user whose data permissions name regions changes only those
 * and the ones below. Only a SYSTEM user moves a region, since users limited to the new parent see its devices from
 * then on.
 */
export function createRegions({ db, notices }: { db: Db; notices: Pick<Notices, 'publish' | 'subscribe'> }) {
  let cached: { tree: Promise<RegionNode[]>; readAtMs: number } | undefined
  const forget = () => {
    cached = undefined
  }
  notices.subscribe(regionsChanged, forget)
  const tellChanged = () => {
    // Here at once, so that the writer's next read has the change; in other processes when the notice arrives.
    forget()
    notices.publish(regionsChanged, [])
  }

  return {
    /** Every region, for every caller: which regions exist is no secret. */
    async listRegions(): Promise<RegionNode[]> {
      if (!cached || performance.now() - cached.readAtMs > freshForMs) {
        const reading = { tree: queries.listRegions(db).then(nodesOf), readAtMs: performance.now() }
        cached = reading
        // A failed read is not kept for other callers.
        reading.tree.catch(() => cached === reading && forget())
      }
      const tree = await cached.tree
      return languageNow() === 'en' ? shownTree(tree) : tree
    },

    /** How many of the caller's devices stand in each region itself. */
    async countRegions(actor: Actor) {
      return queries.countRegions(db, await scopeOf(db, actor), isQuiet(await readQuiet(db)))
    },

    /** Refuses 409 `regionCodeTaken`, and 400 where the parent is unknown or out of scope, or the tree too deep. */
    async insertRegion(actor: Actor, input: ParsedInputFor<typeof insertRegion>) {
      const { code, name, orderNum = null } = input
      await db.transaction().execute(async (trx) => {
        await queries.lockTree(trx)
        const parent = await newParent(trx, actor, input.parentCode)
        checkDepth(parent, 1)
        const fullName = fullNameUnder(parent, name)
        await queries.insertRegion(trx, { code, name, fullName, parent, orderNum })
        await recordOperation(trx, actor, {
          target: targetOf(input),
          changes: { after: { code, name, fullName } },
        })
      })
      tellChanged()
      return { id: code }
    },

    /**
     * A new name changes the full names of all regions below; with a new parent they move too. Refuses the errors of
     * `regionOf`, `conflict`, 403 `regionMoveNeedsSystem`, and 400 for a parent that is unknown or below the region.
     */
    async updateRegion(actor: Actor, input: ParsedInputFor<typeof updateRegion>): Promise<void> {
      const { id, version } = input
      const subject = { ...regionOf(actor, id ?? input.code ?? ''), version }
      await changing(db, actor, subject, async (trx, before) => {
        const oldParent =
          before.parentId === null ? null : ((await queries.readRegion(trx, before.parentId)) ?? null)
        const isMove = input.parentCode !== undefined && input.parentCode !== oldParent?.code
        const parent = isMove ? await moveTarget(trx, actor, before, input.parentCode) : oldParent
        const { name, orderNum = before.orderNum } = input

        const subtree = await queries.listSubtree(trx, before.path)
        if (isMove) checkDepth(parent, levelOf(subtree.at(-1) ?? before) - levelOf(before) + 1)
        const write = async () => {
          await queries.updateRegion(trx, before.id, { parentId: parent?.id ?? null, name, orderNum })
          await queries.placeRegions(trx, placesOf(subtree, { ...before, name }, parent))
        }
        if (isMove) await moveRegions(trx, { regionIds: subtree.map((region) => region.id), write })
        else await write()
        return {
          before: { name: before.name, fullName: before.fullName, orderNum: before.orderNum },
          after: { name, fullName: fullNameUnder(parent, name), orderNum },
        }
      })
      tellChanged()
    },

    /** Refuses what `regionOf` does, and 409 where regions, devices, data permissions, choices of devices or history refer to it. */
    async deleteRegion(actor: Actor, { id }: { id: string }): Promise<void> {
      await changing(db, actor, regionOf(actor, id), async (trx, before) => {
        const { hasChildren, hasDevices, isInPermissions, choices, hasHistory } = await queries.usesOf(
          trx,
          before,
        )
        if (hasChildren) refuse('regionHasChildren')
        if (hasDevices) refuse('regionHasDevices')
        if (isInPermissions) refuse('regionInPermissions')
        refuseChosen(choices)
        // Of a device that has just moved away: its last reports are moved within the minute.
        if (hasHistory) refuse('regionHasHistory')
        await forgetRegion(trx, before.id)
        await forgetRegionCode(trx, before.code)
        await queries.deleteRegion(trx, before.id)
        const { code, name, fullName } = before
        return { before: { code, name, fullName } }
      })
      tellChanged()
    },
  }
}

const choiceNames: Record<queries.RegionChoice, string> = {
  rule: '通知规则',
  report: '报表订阅',
  shelf: '告警搁置',
  advertisement: '广告',
  upgrade: '升级任务',
}

/** Refuses 409 `regionInChoices`, and says which. */
function refuseChosen(choices: Record<queries.RegionChoice, boolean>): void {
  const names = Object.entries(choiceNames).flatMap(([choice, name]) =>
    choices[choice as queries.RegionChoice] ? [name] : [],
  )
  if (names.length > 0) throw new Refusal('regionInChoices', null, `地区已用于${names.join('、')}，不能删除`)
}

/**
 * A region that the actor may change; the tree is locked as well. To a user limited to regions, others do not exist
 * (`regionNotFound`). The region that stands for all is nobody's to change (409 `everywhereStays`).
 */
const regionOf = (actor: Actor, code: string): Subject<queries.RegionEntry> => ({
  async lock(trx) {
    await queries.lockTree(trx)
    const region = await queries.lockRegion(trx, code)
    const { regionIds } = await scopeOf(trx, actor)
    if (!region || (regionIds && !regionIds.includes(region.id))) return undefined
    if (isEverywhere(region)) refuse('everywhereStays')
    return region
  },
  notFound: 'regionNotFound',
  target: targetOf,
})

/** Null is the top. A user limited to regions adds only below these: any other parent is refused (400). */
async function newParent(
  trx: Trx,
  actor: Actor,
  code: string | undefined,
): Promise<queries.RegionEntry | null> {
  const { regionIds } = await scopeOf(trx, actor)
  if (code === undefined) {
    if (regionIds) refuseInput({ field: 'parentCode', message: '请选择上级地区' })
    return null
  }
  const parent = await queries.findRegion(trx, code)
  if (!parent || (regionIds && !regionIds.includes(parent.id))) {
    return refuseInput({ field: 'parentCode', message: '上级地区不存在' })
  }
  if (isEverywhere(parent)) {
    refuseInput({ field: 'parentCode', message: '“全部”之下不能有地区' })
  }
  return parent
}

/** Refuses 403 `regionMoveNeedsSystem`, what `newParent` does, and 400 for a parent at or below the region. */
async function moveTarget(trx: Trx, actor: Actor, region: queries.RegionEntry, code: string | undefined) {
  if (!actor.isSystem) refuse('regionMoveNeedsSystem')
  const parent = await newParent(trx, actor, code)
  if (parent?.path.startsWith(region.path)) {
    refuseInput({ field: 'parentCode', message: '上级地区不能是自己或自己的下级' })
  }
  return parent
}

/** From 1 at the top. */
const levelOf = ({ path }: Pick<queries.RegionEntry, 'path'>) => path.split('/').length - 2

/** Refuses (400) this number of levels below a parent where the tree would become too deep. */
function checkDepth(parent: queries.RegionEntry | null, levels: number): void {
  if ((parent ? levelOf(parent) : 0) + levels > deepestLevel) {
    refuseInput({ field: 'parentCode', message: `地区最多 ${deepestLevel} 级` })
  }
}

const isEverywhere = ({ path }: queries.RegionEntry) => path === '/'

/** The place of each region of a subtree after its top is changed; parents come before their children. */
function placesOf(
  subtree: readonly queries.RegionEntry[],
  top: queries.RegionEntry,
  parent: queries.RegionEntry | null,
) {
  const placed = new Map<number, Pick<queries.RegionEntry, 'id' | 'name' | 'path' | 'fullName'>>()
  for (const { id, name: oldName, parentId } of subtree) {
    const above = id === top.id ? parent : (placed.get(parentId ?? 0) ?? null)
    const name = id === top.id ? top.name : oldName
    placed.set(id, {
      id,
      name,
      path: `${above?.path ?? '/'}${id}/`,
      fullName: fullNameUnder(above, name),
    })
  }
  return [...placed.values()]
}

const targetOf = ({ name, code }: { name: string; code?: string | undefined }) => `地区 ${name}（${code}）`

const inEnglish = new WeakMap<RegionNode[], RegionNode[]>()
/** With labels in the language of the reader; names are what the form keeps. */
function shownTree(tree: RegionNode[]): RegionNode[] {
  const known = inEnglish.get(tree)
  if (known) return known
  const labelled = (node: RegionNode): RegionNode => ({
    ...node,
    label: seededName(node.name),
    childrens: node.childrens.map(labelled),
  })
  const shown = tree.map(labelled)
  inEnglish.set(tree, shown)
  return shown
}

const nodesOf = (rows: readonly queries.RegionRow[]) =>
  treeOf<queries.RegionRow, RegionNode>(rows, ({ code, name, orderNum, version }, childrens, parent) => ({
    code,
    name,
    value: code,
    label: name,
    parentCode: parent?.code ?? null,
    orderNum,
    version,
    childrens,
  }))
