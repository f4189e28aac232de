/**
 * hawkBit's DDI, the server's side: an attempt of an upgrade is shown to the agent that polls, and what it says goes the
 * way of a device's reports, in one transaction that is committed before the agent is answered.
 *
 * An agent has a number for each attempt (`ddi_action`). To read what it is to install is to accept the command; an
 * attempt that it has accepted stays linked until it says how it ended. Where its target waits for it no more, because
 * the task was cancelled or the attempt given up, it is told to stop. Feedback that is repeated changes nothing twice.
 */
import { randomUUID } from 'node:crypto'
import type { UpgradeReport, VersionReport } from '@voltkeep/contract/topics/index'
import { refuse } from '../../platform/calls/refusal.ts'
import type { Db, Trx } from '../../platform/database/database.ts'
import { kyselyOn } from '../../platform/database/statements.ts'
import { type Connection, inTransaction } from '../../platform/database/transaction.ts'
import type { Report, ReportWriters } from '../../platform/devices/ingest/reports.ts'
import { sharedNowMs } from '../../platform/process/clocks/shared-clock.ts'
import type { PolledPresence } from '../devices/index.ts'
import type { AdmittedDevice } from '../intake/index.ts'
import * as queries from './ddi.queries.ts'
import {
  attributesAfter,
  cancelToldBy,
  type Order,
  type Outcome,
  partOf,
  type Told,
  toldBy,
  versionsBySuccess,
} from './ddi.rules.ts'

export type Ddi = ReturnType<typeof createDdi>

export interface DdiNeeds {
  db: Db
  pool: Parameters<typeof inTransaction>[0]
  writers: Pick<ReportWriters, 'reply' | 'upgrade' | 'version'>
  presence: Pick<PolledPresence, 'polled'>
}

type File = NonNullable<queries.Action['file']>

/** What an agent is to install. */
export interface Deployment {
  id: number
  order: Order
  deadline: Date
  file: File
}

const queryLimitMs = 30_000

export function createDdi({ db, pool, writers, presence }: DdiNeeds) {
  /** Runs the functions that writers return after the commit. */
  async function committing<T>(
    work: (trx: Trx, connection: Connection, later: (act: (() => void) | undefined) => void) => Promise<T>,
  ): Promise<T> {
    const acts: (() => void)[] = []
    const result = await inTransaction(pool, { begin: () => 'BEGIN', queryLimitMs }, (connection) =>
      work(kyselyOn(connection), connection, (act) => void (act && acts.push(act))),
    )
    for (const act of acts) act()
    return result
  }

  /** An action of the device that it has read. Throws `deploymentNotFound`. */
  async function lockOwn(trx: Trx, device: AdmittedDevice, id: number): Promise<queries.Action> {
    const action = await queries.lockAction(trx, device.id, id)
    return action?.isRetrieved ? action : refuse('deploymentNotFound')
  }

  const tell = (
    connection: Connection,
    device: AdmittedDevice,
    { targetId }: queries.Action,
    report: Pick<UpgradeReport, 'state' | 'percent' | 'reason'>,
  ) => writers.upgrade.write(connection, [reportOf(device, { targetId, ...report })])

  const tellVersions = (
    connection: Connection,
    device: AdmittedDevice,
    versions: VersionReport['versions'],
  ) => writers.version.write(connection, [reportOf(device, { versions })])

  /** Ends the attempt. */
  async function end(
    trx: Trx,
    connection: Connection,
    device: AdmittedDevice,
    action: queries.Action,
    { outcome, reason }: { outcome: Outcome; reason: string | null },
  ): Promise<((() => void) | undefined)[]> {
    await queries.endAction(trx, action.id, outcome)
    const acts = []
    if (action.isAwaited) {
      const failed = { state: 'failed', reason: reason ?? failureTexts[outcome] } as const
      acts.push(
        await tell(connection, device, action, outcome === 'success' ? { state: 'installed' } : failed),
      )
    }
    if (outcome === 'success') {
      const { attributes, firstPart } = await queries.lockDevice(trx, device.id)
      await queries.wantAttributes(trx, device.id)
      const versions = action.order ? versionsBySuccess(action.order, attributes, firstPart) : []
      if (versions.length > 0) acts.push(await tellVersions(connection, device, versions))
    }
    return acts
  }

  return {
    /** What is due of a device that polls. */
    async poll(device: AdmittedDevice, address: string) {
      await presence.polled(device.id, address)
      const { wantsAttributes, deployment, cancelId, installedId } = await queries.readStanding(db, device.id)
      if (wantsAttributes === null) await queries.insertDevice(db, device.id)
      const isDue = cancelId === null && deployment !== null
      return {
        wantsAttributes: wantsAttributes ?? true,
        cancelId,
        deploymentId: isDue
          ? (deployment.actionId ?? (await queries.numberAction(db, device.id, deployment)))
          : null,
        installedId,
      }
    },

    /** What the agent is to install; reading it accepts the command. Throws `deploymentNotFound`. */
    readDeployment: (device: AdmittedDevice, id: number): Promise<Deployment> =>
      committing(async (trx, connection, later) => {
        const action = await queries.lockAction(trx, device.id, id)
        if (!action?.isDeployed) return refuse('deploymentNotFound')
        if (!action.isRetrieved) {
          const { commandId } = action
          later(
            await writers.reply.write(connection, [
              reportOf(device, { commandId, outcome: 'done' as const }),
            ]),
          )
          // Taken back just now.
          if (!(await queries.hasTaken(trx, commandId))) return refuse('deploymentNotFound')
          await queries.markAction(trx, id, 'retrieved_at')
        }
        return deploymentOf(action)
      }),

    /** What the agent has installed before. Throws `deploymentNotFound`. */
    async readInstalled(device: AdmittedDevice, id: number): Promise<Deployment> {
      const action = await queries.findAction(db, device.id, id)
      return action?.outcome === 'success' ? deploymentOf(action) : refuse('deploymentNotFound')
    },

    /** Throws `deploymentNotFound`, and `deploymentOver` where it has ended in another way. */
    takeFeedback: (device: AdmittedDevice, id: number, body: unknown): Promise<void> =>
      committing(async (trx, connection, later) => {
        const told = toldBy(body)
        const action = await lockOwn(trx, device, id)
        if (action.outcome !== null) {
          if (told.kind === 'ended' && told.outcome === action.outcome) return
          refuse('deploymentOver')
        }
        if (told.kind === 'ended') {
          for (const act of await end(trx, connection, device, action, told)) later(act)
          return
        }
        if (told.kind === 'noted') return
        if (told.on === 'downloaded') await queries.markAction(trx, id, 'downloaded_at')
        if (action.isAwaited) later(await tell(connection, device, action, progressOf(told, action)))
      }),

    /** The action that is to be stopped. Throws `deploymentNotFound`. */
    async readCancel(device: AdmittedDevice, id: number): Promise<number> {
      const action = await queries.findAction(db, device.id, id)
      return action?.isToStop ? action.id : refuse('deploymentNotFound')
    },

    /** Throws `deploymentNotFound`, `deploymentOver`, and `cancelNotAsked` where it is to go on. */
    takeCancelFeedback: (device: AdmittedDevice, id: number, body: unknown): Promise<void> =>
      committing(async (trx) => {
        const told = cancelToldBy(body)
        const action = await lockOwn(trx, device, id)
        if (action.outcome === 'canceled' && told === 'stopped') return
        if (action.isCancelRefused && told === 'refused') return
        if (action.outcome !== null) refuse('deploymentOver')
        if (!action.isToStop) refuse('cancelNotAsked')
        if (told === 'stopped') await queries.endAction(trx, id, 'canceled')
        if (told === 'refused') await queries.markAction(trx, id, 'cancel_refused_at')
      }),

    /** Keeps what the agent says of its device, and takes its part's version for reported. */
    takeAttributes: (device: AdmittedDevice, body: unknown): Promise<void> =>
      committing(async (trx, connection, later) => {
        const { attributes: before, firstPart, parts } = await queries.lockDevice(trx, device.id)
        const attributes = attributesAfter(before, body)
        await queries.updateAttributes(trx, device.id, attributes)
        const part = partOf(attributes, { firstPart, isKnown: (partType) => parts.includes(partType) })
        if (part) later(await tellVersions(connection, device, [part]))
      }),

    /** The file of a deployment that is under way. Throws `deploymentNotFound`. */
    async findArtifact(
      device: Pick<AdmittedDevice, 'id'>,
      id: number,
      fileName?: string,
    ): Promise<Deployment> {
      const action = await queries.findAction(db, device.id, id)
      if (!action?.isRetrieved || !action.isDeployed) return refuse('deploymentNotFound')
      const deployment = deploymentOf(action)
      return fileName === undefined || deployment.order.fileName === fileName
        ? deployment
        : refuse('deploymentNotFound')
    },

    /** For an address whose signature names the device. */
    /** Bytes of the file have been sent: `percent` of it, or the last of them. */
    sent: (device: AdmittedDevice, id: number, percent: number): Promise<void> =>
      committing(async (trx, connection, later) => {
        const action = await queries.lockAction(trx, device.id, id)
        if (!action || action.outcome !== null || action.isDownloaded) return
        if (action.isAwaited) later(await tell(connection, device, action, { state: 'downloading', percent }))
        if (percent === 100) await queries.markAction(trx, id, 'downloaded_at')
      }),
  }
}

const failureTexts: Record<Outcome, string> = {
  success: '',
  failure: '设备升级失败',
  canceled: '设备取消了升级',
}

/** An agent that says no more than that it is at work downloads until it has all. */
function progressOf(
  { on, percent }: Extract<Told, { kind: 'progress' }>,
  { isDownloaded }: queries.Action,
): Pick<UpgradeReport, 'state' | 'percent'> {
  if (on === 'downloaded') return { state: 'downloading', percent: 100 }
  const state = on === 'running' && isDownloaded ? 'installing' : 'downloading'
  return percent === null ? { state } : { state, percent }
}

function deploymentOf({ id, order, deadline, file }: queries.Action): Deployment {
  return order && deadline && file ? { id, order, deadline, file } : refuse('deploymentNotFound')
}

/** As a device's report of this moment. */
function reportOf<Payload extends object>(
  { id: deviceId }: AdmittedDevice,
  payload: Payload,
): Report<Payload & { id: string; time: number }> {
  const nowMs = sharedNowMs()
  return {
    deviceId,
    payload: { ...payload, id: randomUUID(), time: nowMs },
    occurredAtMs: nowMs,
    receivedAtMs: nowMs,
    clockLimitMs: null,
    // What the agent was refused it is told by the answer; a report that comes late changes nothing.
    refuse: () => {},
  }
}
