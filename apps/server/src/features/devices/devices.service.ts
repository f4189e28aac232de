import type {
  exportDevices,
  FieldProblem,
  FileReply,
  insertDevice,
  listDevices,
  ParsedInputFor,
  readDevice,
  updateDevice,
} from '@voltkeep/contract'
import type { Actor } from '../../platform/access/actor.ts'
import { type DataScope, scopeOf } from '../../platform/access/data-scope.ts'
import type { Db, Trx } from '../../platform/database/database.ts'
import { idNumber } from '../../platform/database/ids.ts'
import { refuseTooManyStreams, streamSnapshot } from '../../platform/database/snapshot.ts'
import { deleteHistory, moveHistory, type Place } from '../../platform/history/index.ts'
import type { Notices } from '../../platform/notices.ts'
import { recordOperation } from '../../platform/operation-log.ts'
import { Refusal, refuse } from '../../platform/refusal.ts'
import { fileNameAt, refuseTooManyRows, spreadsheet } from '../../platform/spreadsheet.ts'
import { deviceSheet } from './devices.export.ts'
import * as queries from './devices.queries.ts'
import { hashSecret, makeSecret } from './devices.secrets.ts'
import * as registry from './registry.queries.ts'

type DeviceForm = Pick<ParsedInputFor<typeof updateDevice>, 'operatorId' | 'equipModelId' | 'regionCode'>

/** Rows read at a time for an export. */
const exportBatch = 500

export type Devices = ReturnType<typeof createDevices>

/**
 * The registry. A device out of the caller's scope is answered as one that does not exist, and nobody
 * puts a device where he could not see it.
 */
export function createDevices({
  db,
  notices,
  mqttPort,
}: {
  db: Db
  notices: Pick<Notices, 'publish'>
  /** Null where this process has no broker. */
  mqttPort: () => number | null
}) {
  const tellChanged = (code: string) => notices.publish('devicesChanged', { codes: [code] })

  return {
    async listDevices(actor: Actor, input: ParsedInputFor<typeof listDevices>) {
      const { pageNum, pageSize, ...filter } = input
      const scope = await scopeOf(db, actor)
      const matching = await queries.devicesMatching(db, scope, filter)
      const offset = (pageNum - 1) * pageSize
      const rows = await queries.listDevices(db, matching, { limit: pageSize, offset })
      // A page that is not full is the last one and says how many there are.
      const isLast = rows.length < pageSize && (rows.length > 0 || offset === 0)
      return { rows, total: isLast ? offset + rows.length : await queries.countDevices(db, matching) }
    },

    async readDevice(actor: Actor, { id }: ParsedInputFor<typeof readDevice>) {
      const device = await queries.readDevice(db, await scopeOf(db, actor), idNumber(id))
      if (!device) refuse('deviceNotFound')
      const [state, versions, parameters] = await Promise.all([
        queries.readState(db, device.id),
        queries.listVersions(db, device.id),
        queries.listParameters(db, device.id),
      ])
      const status = (state?.status ?? {}) as Record<string, unknown>
      return {
        ...device,
        connectedFrom: state?.connectedFrom ?? null,
        clockOffsetMs: state?.clockOffsetMs == null ? null : Number(state.clockOffsetMs),
        status: Object.entries(status).map(([key, value]) => ({ key, value: String(value) })),
        statusTime: state?.statusTime ?? null,
        equipSoftwareVersions: versions,
        parameters,
      }
    },

    /** What the list shows by the same filter, all pages, as of one moment. */
    async exportDevices(actor: Actor, filter: ParsedInputFor<typeof exportDevices>): Promise<FileReply> {
      const matching = await queries.devicesMatching(db, await scopeOf(db, actor), filter)
      refuseTooManyStreams()
      refuseTooManyRows(await queries.countDevices(db, matching))
      return {
        fileName: fileNameAt('设备', new Date()),
        body: spreadsheet(deviceSheet, () =>
          streamSnapshot(db, (trx) => queries.walkDevices(trx, matching, exportBatch)),
        ),
      }
    },

    /** Answers the secret: it is stored as a hash and never shown again. */
    async insertDevice(actor: Actor, input: ParsedInputFor<typeof insertDevice>) {
      const { code, name = null, address = null, businessStatus } = input
      const secret = makeSecret()
      const id = await db.transaction().execute(async (trx) => {
        const place = await placeWithin(trx, await scopeOf(trx, actor), input)
        const values = { name, address, businessStatus, ...place.ids }
        const newId = await registry.insertDevice(trx, code, hashSecret(secret), values)
        if (newId === undefined) refuse('deviceCodeTaken')
        await recordOperation(trx, actor, {
          target: targetOf(code),
          changes: { after: { code, name, address, businessStatus, ...place.names } },
        })
        return newId
      })
      tellChanged(code)
      return { id, code, secret, mqttPort: mqttPort() }
    },

    /**
     * Name and address are cleared where the form leaves them empty. A device that moves takes its history
     * along: who may see the device may see what was wrong with it.
     */
    async updateDevice(actor: Actor, input: ParsedInputFor<typeof updateDevice>): Promise<void> {
      const { id, name = null, address = null } = input
      const code = await db.transaction().execute(async (trx) => {
        const scope = await scopeOf(trx, actor)
        const before = await lockDevice(trx, scope, id)
        const place = await placeWithin(trx, scope, input)
        const businessStatus = input.businessStatus ?? before.businessStatus
        await registry.updateDevice(trx, before.id, { name, address, businessStatus, ...place.ids })
        if (hasMoved(before, place.ids)) await moveHistory(trx, before.id, place.ids)
        await recordOperation(trx, actor, {
          target: targetOf(before.code),
          changes: {
            before: shownOf(before),
            after: { code: before.code, name, address, businessStatus, ...place.names },
          },
        })
        return before.code
      })
      tellChanged(code)
    },

    /** Its old secret ends with this, and so does the connection that was made with it. */
    async renewDeviceSecret(actor: Actor, { id }: { id: string }) {
      const secret = makeSecret()
      const device = await db.transaction().execute(async (trx) => {
        const found = await lockDevice(trx, await scopeOf(trx, actor), id)
        await registry.updateSecret(trx, found.id, hashSecret(secret))
        await recordOperation(trx, actor, { target: targetOf(found.code) })
        return found
      })
      tellChanged(device.code)
      return { id: device.id, code: device.code, secret, mqttPort: mqttPort() }
    },

    /** With all that was ever reported by it. */
    async deleteDevice(actor: Actor, { id }: { id: string }): Promise<void> {
      const code = await db.transaction().execute(async (trx) => {
        const before = await lockDevice(trx, await scopeOf(trx, actor), id)
        await registry.deleteDevice(trx, before.id)
        await deleteHistory(trx, before.id)
        await recordOperation(trx, actor, {
          target: targetOf(before.code),
          changes: { before: shownOf(before) },
        })
        return before.code
      })
      tellChanged(code)
    },
  }
}

async function lockDevice(trx: Trx, scope: DataScope, id: string): Promise<registry.RegistryEntry> {
  return (await registry.lockDevice(trx, scope, idNumber(id))) ?? refuse('deviceNotFound')
}

/** Operator, model and region of a form; each must exist and lie within the scope, and all are checked at once. */
async function placeWithin(trx: Trx, scope: DataScope, form: DeviceForm) {
  const operator = await registry.findOperator(trx, idNumber(form.operatorId))
  const model = await registry.findModel(trx, idNumber(form.equipModelId))
  const region = await registry.findRegion(trx, form.regionCode)
  const problems: FieldProblem[] = []
  if (!operator || !isListed(scope.operatorIds, operator.id)) {
    problems.push({ field: 'operatorId', message: '运营商不存在' })
  }
  if (!model || !isListed(scope.equipTypeIds, model.equipTypeId)) {
    problems.push({ field: 'equipModelId', message: '设备型号不存在' })
  }
  if (!region || !isListed(scope.regionIds, region.id)) {
    problems.push({ field: 'regionCode', message: '地区不存在' })
  } else if (region.isEverywhere) {
    problems.push({ field: 'regionCode', message: '请选择具体的地区' })
  }
  if (!operator || !model || !region || problems.length > 0) throw new Refusal('badInput', problems)
  return {
    ids: { operatorId: operator.id, modelId: model.id, regionId: region.id },
    names: { operator: operator.name, model: model.name, region: region.name },
  }
}

/** A part of a scope that does not narrow lets everything pass. */
const isListed = (ids: readonly number[] | null, id: number) => ids === null || ids.includes(id)

const hasMoved = (from: Place, to: Place) =>
  from.operatorId !== to.operatorId || from.modelId !== to.modelId || from.regionId !== to.regionId

const targetOf = (code: string) => `设备 ${code}`

/** As the operation log shows a device: names, since ids tell a reader nothing. */
const shownOf = (entry: registry.RegistryEntry) => ({
  code: entry.code,
  name: entry.name,
  address: entry.address,
  businessStatus: entry.businessStatus,
  operator: entry.operatorName,
  model: entry.modelName,
  region: entry.regionName,
})
