// The device registry as users see and change it.
import type {
  countChosenDevices,
  exportDevices,
  FieldProblem,
  FileReply,
  insertDevice,
  listDevices,
  ParsedInputFor,
  readDevice,
  updateDevice,
} from '@voltkeep/contract'
import { type DataScope, scopeOf } from '../../domain/access/data-scope.ts'
import { deleteHistory, moveHistory, type Place } from '../../domain/history/index.ts'
import type { Actor } from '../../platform/calls/actor.ts'
import { Refusal, refuse } from '../../platform/calls/refusal.ts'
import { changing, type Subject } from '../../platform/database/changing.ts'
import { givingWay } from '../../platform/database/connections/giving-way.ts'
import type { Db, Trx } from '../../platform/database/database.ts'
import { idNumber } from '../../platform/database/ids.ts'
import type { Notices } from '../../platform/database/notices/notices.ts'
import { recordOperation } from '../../platform/database/operation-log.ts'
import { pageOf, totalByPage } from '../../platform/database/paging.ts'
import { streamSnapshot } from '../../platform/database/snapshot.ts'
import { fileNameAt, refuseTooManyRows, spreadsheet } from '../../platform/files/sheets/spreadsheet.ts'
import type { Ports } from '../../platform/process/own-url.ts'
import { isQuiet, readQuiet } from '../alarms/index.ts'
import type { SpokenProtocols } from '../mappings/index.ts'
import { devicesChosen, listUnknownCodes } from './device-choice.queries.ts'
import { devicesMatching, isCostly, listingMatching } from './device-matching.ts'
import { hashSecret, makeSecret } from './device-secrets.ts'
import { deviceSheet } from './devices.export.ts'
import { devicesChanged } from './devices.notices.ts'
import * as queries from './devices.queries.ts'
import * as registry from './registry.queries.ts'

type DeviceForm = Pick<ParsedInputFor<typeof updateDevice>, 'operatorId' | 'equipModelId' | 'regionCode'>

/** Rows read at a time for an export. */
const exportBatch = 500

export type Devices = ReturnType<typeof createDevices>

/**
 * A device out of the caller's scope is answered like one that does not exist, and no user puts a device where that
 * user could not see it.
 */
export function createDevices({
  db,
  notices,
  ports,
  spokenBy,
}: {
  db: Db
  notices: Pick<Notices, 'publish' | 'publishAtOnce'>
  /** Of the broker, null where this process has none. */
  ports: Readonly<Pick<Ports, 'mqttPort' | 'mqttTlsPort'>>
  spokenBy: SpokenProtocols['spokenBy']
}) {
  const devicePorts = () => ({ mqttPort: ports.mqttPort, mqttTlsPort: ports.mqttTlsPort })
  const tellChanged = (code: string) => notices.publish(devicesChanged, [code])

  return {
    async listDevices(actor: Actor, input: ParsedInputFor<typeof listDevices>) {
      const { pageNum, pageSize, sortBy, sortOrder, ...filter } = input
      const scope = await scopeOf(db, actor)
      const matching = await listingMatching(db, scope, filter)
      const order = sortBy && (sortOrder === 'asc' ? 'codeUp' : 'codeDown')
      const page = { ...pageOf({ pageNum, pageSize }), order: order ?? 'newest' } as const
      const quiet = isQuiet(await readQuiet(db))
      if (isCostly(filter)) return queries.listAndCountDevices(db, matching, page, quiet)
      const rows = await queries.listDevices(db, matching, page, quiet)
      return { rows, total: totalByPage(page, rows.length) ?? (await queries.countDevices(db, matching)) }
    },

    /**
     * The condition on `device d` for what a filter asks for, and for what was chosen, within the scope. For
     * queries of other features, which give the table this name.
     */
    devicesMatching,
    /** The same on their rows in device_listing. */
    listingMatching,
    devicesChosen,

    /** How many devices a choice finds, and which of its codes name no device that the caller may see. */
    async countChosenDevices(actor: Actor, choice: ParsedInputFor<typeof countChosenDevices>) {
      const scope = await scopeOf(db, actor)
      const [count, unknownCodes] = await Promise.all([
        devicesChosen(db, scope, choice).then((chosen) => queries.countChosen(db, chosen)),
        listUnknownCodes(db, scope, choice.codes ?? []),
      ])
      return { count, unknownCodes }
    },

    /** At most `limit` devices whose code, name or address contains the keyword; the best matching codes first. */
    async findDevices(actor: Actor, keyword: string, limit: number) {
      return queries.findDevices(db, await scopeOf(db, actor), keyword, limit)
    },

    /** The code of a device of the caller's scope. */
    async findCode(actor: Actor, id: number): Promise<string | undefined> {
      return queries.findCode(db, await scopeOf(db, actor), id)
    },

    /** Refuses `deviceNotFound`. */
    async readDevice(actor: Actor, { id }: ParsedInputFor<typeof readDevice>) {
      const quiet = isQuiet(await readQuiet(db))
      const device = await queries.readDevice(db, await scopeOf(db, actor), idNumber(id), quiet)
      if (!device) refuse('deviceNotFound')
      const [state, versions, parameters, speaks, protocolIdentity] = await Promise.all([
        queries.readState(db, device.id),
        queries.listVersions(db, device.id),
        queries.listParameters(db, device.id),
        spokenBy(db, device.id),
        registry.findProtocolIdentity(db, device.id),
      ])
      const status = (state?.status ?? {}) as Record<string, unknown>
      return {
        ...device,
        speaks,
        protocolIdentity,
        connectedFrom: state?.connectedFrom ?? null,
        clockOffsetMs: state?.clockOffsetMs == null ? null : Number(state.clockOffsetMs),
        status: Object.entries(status).map(([key, value]) => ({ key, value: String(value) })),
        statusTime: state?.statusTime ?? null,
        equipSoftwareVersions: versions,
        parameters,
      }
    },

    /** All rows of the list by the same filter, as of one moment. Refuses 400 for too many rows. */
    async exportDevices(actor: Actor, filter: ParsedInputFor<typeof exportDevices>): Promise<FileReply> {
      const matching = await listingMatching(db, await scopeOf(db, actor), filter)
      refuseTooManyRows(await queries.countDevices(db, matching))
      const quiet = isQuiet(await readQuiet(db))
      return {
        fileName: fileNameAt('设备', new Date()),
        body: spreadsheet(deviceSheet, () =>
          streamSnapshot(db, (trx) => queries.walkDevices(trx, matching, exportBatch, quiet)),
        ),
      }
    },

    /**
     * Returns the secret, which is stored as a hash and never shown again. Refuses 409 `deviceCodeTaken`, and 400 as
     * `placeWithin` does.
     */
    async insertDevice(actor: Actor, input: ParsedInputFor<typeof insertDevice>) {
      const { code, name = null, address = null, protocolIdentity = null, businessStatus, protocol } = input
      const secret = makeSecret(protocol)
      const id = await db.transaction().execute(async (trx) => {
        const place = await placeWithin(trx, await scopeOf(trx, actor), input)
        const values = { name, address, protocolIdentity, businessStatus, protocol, ...place.ids }
        const newId = await registry.insertDevice(
          trx,
          code,
          { hash: hashSecret(secret), by: actor.userId },
          values,
        )
        if (newId === undefined) refuse('deviceCodeTaken')
        await recordOperation(trx, actor, {
          target: targetOf({ code }),
          changes: {
            after: { code, name, address, protocolIdentity, businessStatus, protocol, ...place.names },
          },
        })
        return newId
      })
      tellChanged(code)
      return { id, code, secret, protocol, ...devicePorts() }
    },

    /**
     * Name and address are cleared where the form leaves them empty. The history of a device moves with it: users who
     * see the device see its past alarms. Refuses `deviceNotFound`, `conflict`, `deviceUpgrading`, and 400 as `placeWithin` does.
     */
    async updateDevice(actor: Actor, input: ParsedInputFor<typeof updateDevice>): Promise<void> {
      const { id, version, name = null, address = null } = input
      const { code } = await changing(db, actor, { ...deviceOf(actor, id), version }, async (trx, before) => {
        const place = await placeWithin(trx, await scopeOf(trx, actor), input)
        const businessStatus = input.businessStatus ?? before.businessStatus
        const protocol = input.protocol ?? before.protocol
        // A command that one protocol has handed over would be heard of by the other no more.
        if (protocol !== before.protocol && (await registry.isUpgrading(trx, before.id)))
          refuse('deviceUpgrading')
        const given = input.protocolIdentity ?? before.protocolIdentity
        const protocolIdentity = given === before.code ? null : given
        await registry.updateDevice(trx, before.id, {
          name,
          address,
          protocolIdentity,
          businessStatus,
          protocol,
          ...place.ids,
        })
        if (hasMoved(before, place.ids)) await moveHistory(trx, before.id, place.ids)
        return {
          before: shownOf(before),
          after: {
            code: before.code,
            name,
            address,
            protocolIdentity,
            businessStatus,
            protocol,
            ...place.names,
          },
        }
      })
      tellChanged(code)
    },

    /** Ends the old secret, and the connection that was made with it. Refuses `deviceNotFound`. */
    async renewDeviceSecret(actor: Actor, { id }: { id: string }) {
      let secret = ''
      const device = await changing(db, actor, deviceOf(actor, id), async (trx, before) => {
        secret = makeSecret(before.protocol)
        await registry.updateSecret(trx, before.id, { hash: hashSecret(secret), by: actor.userId })
        return undefined
      })
      // The old secret is refused before this call is answered.
      notices.publishAtOnce(devicesChanged, [device.code])
      return { id: device.id, code: device.code, protocol: device.protocol, secret, ...devicePorts() }
    },

    /** With everything that the device ever reported. Refuses `deviceNotFound`. */
    async deleteDevice(actor: Actor, { id }: { id: string }): Promise<void> {
      const { code } = await changing(db, actor, deviceOf(actor, id), async (trx, before) => {
        await givingWay(trx, () => registry.deleteDevice(trx, before.id))
        await deleteHistory(trx, before.id)
        return { before: shownOf(before) }
      })
      notices.publishAtOnce(devicesChanged, [code])
    },
  }
}

/** A device of the caller's scope. */
const deviceOf = (actor: Actor, id: string): Subject<registry.RegistryEntry> => ({
  lock: async (trx) => registry.lockDevice(trx, await scopeOf(trx, actor), idNumber(id)),
  notFound: 'deviceNotFound',
  target: targetOf,
})

/** Operator, model and region of a form. Refuses (400, all problems at once) each that is unknown or out of scope. */
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

/** Null, a scope that is not limited, lets every id pass. */
const isListed = (ids: readonly number[] | null, id: number) => ids === null || ids.includes(id)

const hasMoved = (from: Place, to: Place) =>
  from.operatorId !== to.operatorId || from.modelId !== to.modelId || from.regionId !== to.regionId

const targetOf = ({ code }: { code: string }) => `设备 ${code}`

/** As the operation log shows a device: names in place of ids. */
const shownOf = (entry: registry.RegistryEntry) => ({
  code: entry.code,
  name: entry.name,
  address: entry.address,
  protocolIdentity: entry.protocolIdentity,
  businessStatus: entry.businessStatus,
  protocol: entry.protocol,
  operator: entry.operatorName,
  model: entry.modelName,
  region: entry.regionName,
})
