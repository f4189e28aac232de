import type { insertRegion, ParsedInputFor, RegionNode, updateRegion } from '@voltkeep/contract'
import type { Actor } from '../../platform/access/actor.ts'
import { scopeOf } from '../../platform/access/data-scope.ts'
import type { Db, Trx } from '../../platform/database/database.ts'
import { forgetRegion, moveRegions } from '../../platform/history/index.ts'
import type { Notices } from '../../platform/notices.ts'
import { recordOperation } from '../../platform/operation-log.ts'
import { refuse, refuseInput } from '../../platform/refusal.ts'
import { fullNameUnder } from './regions.names.ts'
import * as queries from './regions.queries.ts'

/** Read by every page with a filter, 3,200 rows, changed once a year. A lost notice is made good by this. */
const freshForMs = 60_000

/** Country to village are five; without a limit, a tree some thousand levels deep could be answered to nobody. */
const deepestLevel = 10

export type Regions = ReturnType<typeof createRegions>

/**
 * The tree of regions, which all organizations share. Who is limited to regions by his data permissions
 * changes only those; and only a SYSTEM user moves one, since whoever is limited to the new parent would see
 * its devices from then on.
 */
export function createRegions({ db, notices }: { db: Db; notices: Pick<Notices, 'publish' | 'subscribe'> }) {
  let cached: { tree: Promise<RegionNode[]>; readAtMs: number } | undefined
  const forget = () => {
    cached = undefined
  }
  notices.subscribe('regionsChanged', forget)
  const tellChanged = () => {
    // At once here, so that whoever wrote reads what he wrote; elsewhere when the notice comes.
    forget()
    notices.publish('regionsChanged', {})
  }

  return {
    /** Every region there is: where a device stands is no secret to who may see regions to filter by. */
    async listRegions(): Promise<RegionNode[]> {
      if (!cached || Date.now() - cached.readAtMs > freshForMs) {
        const reading = { tree: queries.listRegions(db).then(treeOf), readAtMs: Date.now() }
        cached = reading
        // A failed reading is nobody else's.
        reading.tree.catch(() => cached === reading && forget())
      }
      return cached.tree
    },

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

    /** A new name shows in the full names of all below; a new parent takes all below along. */
    async updateRegion(actor: Actor, input: ParsedInputFor<typeof updateRegion>): Promise<void> {
      const code = input.id ?? input.code ?? ''
      await db.transaction().execute(async (trx) => {
        await queries.lockTree(trx)
        const before = await lockOwn(trx, actor, code)
        if (input.version !== undefined && input.version !== before.version) refuse('conflict')
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
        if (isMove) await moveRegions(trx, { regionIds: subtree.map(({ id }) => id), write })
        else await write()
        await recordOperation(trx, actor, {
          target: targetOf(before),
          changes: {
            before: { name: before.name, fullName: before.fullName, orderNum: before.orderNum },
            after: { name, fullName: fullNameUnder(parent, name), orderNum },
          },
        })
      })
      tellChanged()
    },

    async deleteRegion(actor: Actor, { id }: { id: string }): Promise<void> {
      await db.transaction().execute(async (trx) => {
        await queries.lockTree(trx)
        const before = await lockOwn(trx, actor, id)
        const { hasChildren, hasDevices, isInPermissions, hasHistory } = await queries.usesOf(trx, before)
        if (hasChildren) refuse('regionHasChildren')
        if (hasDevices) refuse('regionHasDevices')
        if (isInPermissions) refuse('regionInPermissions')
        // Of a device that moved away a moment ago: its last reports follow it within the minute.
        if (hasHistory) refuse('regionHasHistory')
        await forgetRegion(trx, before.id)
        await queries.deleteRegion(trx, before.id)
        const { code, name, fullName } = before
        await recordOperation(trx, actor, {
          target: targetOf(before),
          changes: { before: { code, name, fullName } },
        })
      })
      tellChanged()
    },
  }
}

/** Locks one that the actor may change; to who is limited to regions, others do not exist. */
async function lockOwn(trx: Trx, actor: Actor, code: string): Promise<queries.RegionEntry> {
  const region = await queries.lockRegion(trx, code)
  const { regionIds } = await scopeOf(trx, actor)
  if (!region || (regionIds && !regionIds.includes(region.id))) return refuse('regionNotFound')
  if (isEverywhere(region)) refuse('everywhereStays')
  return region
}

/** Null is the top. Who is limited to regions adds below these alone. */
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

/** So many levels below a parent. */
function checkDepth(parent: queries.RegionEntry | null, levels: number): void {
  if ((parent ? levelOf(parent) : 0) + levels > deepestLevel) {
    refuseInput({ field: 'parentCode', message: `地区最多${deepestLevel}级` })
  }
}

const isEverywhere = ({ path }: queries.RegionEntry) => path === '/'

/** Where each region of a subtree stands once its top is changed; parents come before their children. */
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

function treeOf(rows: readonly queries.RegionRow[]): RegionNode[] {
  const nodes = new Map<number, RegionNode>()
  for (const { id, code, name, orderNum, version } of rows) {
    nodes.set(id, { value: code, label: name, parentCode: null, orderNum, version, childrens: [] })
  }
  const roots: RegionNode[] = []
  for (const { id, parentId } of rows) {
    const node = nodes.get(id) as RegionNode
    const parent = parentId === null ? undefined : nodes.get(parentId)
    node.parentCode = parent?.value ?? null
    ;(parent?.childrens ?? roots).push(node)
  }
  return roots
}
