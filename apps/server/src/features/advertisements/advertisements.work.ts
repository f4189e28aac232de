// Timed work: commands of deliveries that are due, and the scope and the end of running advertisements.
import { describeStop } from '@voltkeep/contract'
import type pg from 'pg'
import { everything, scopeBy } from '../../domain/access/data-scope.ts'
import { intersectScopes } from '../../domain/access/deciders.ts'
import { nothing, scopesOfPeople } from '../../domain/access/reaches.ts'
import type { Trx } from '../../platform/database/database.ts'
import type { Notices } from '../../platform/database/notices/notices.ts'
import { kyselyOn } from '../../platform/database/statements.ts'
import { createLeaseQueue } from '../../platform/database/work/lease-queue.ts'
import type { Worker } from '../../platform/database/work/worker.ts'
import type { Commands, NewCommand } from '../../platform/devices/commands/commands.ts'
import type { Files } from '../../platform/files/kept/index.ts'
import type { Log } from '../../platform/process/log.ts'
import { cabinetsChosen, isOfTheMoment, lastingPartOf } from './advertisements.cabinets.ts'
import { type DueDelivery, readObstacles, standingOf, standingOfAsker } from './advertisements.deciders.ts'
import {
  advertisementTable,
  type LockedAdvertisement,
  lockForWork,
  setDue,
} from './advertisements.queries.ts'
import { advertiseDeadlineMs, resolveEveryMs, withdrawDeadlineMs } from './advertisements.rules.ts'
import { commandFor, type DeliveryEvent, reasons } from './advertisements.states.ts'
import { deliveryTable, move, wakeDeliveries, withdraw } from './deliveries.moves.ts'
import {
  addDeliveries,
  backInside,
  type DeliveryFile,
  heldOf,
  listUnsentAskers,
  lockUnsent,
  type MovingDelivery,
  ofAdvertisement,
  ofIds,
  outside,
  readFiles,
} from './deliveries.queries.ts'

const leaseMs = 60_000
/** Each of them may have tens of thousands of cabinets. */
const advertisementsAtOnce = 5

export interface WorkNeeds {
  pool: pg.Pool
  notices: Pick<Notices, 'subscribe'>
  log: Log
  commands: Commands
  files: Pick<Files, 'addressFor'>
  tellChanged: (deliveries: readonly MovingDelivery[]) => void
}

/** Deliveries that are due, and advertisements whose scope is to be resolved again or whose period is over. */
export function createAdvertisementQueues(needs: WorkNeeds): Worker[] {
  return [
    createLeaseQueue<DueDelivery>(needs, {
      table: deliveryTable,
      key: ['id'],
      columns: `t.id, t.advertisement_id AS "advertisementId", CASE WHEN t.asked_by IS NOT NULL
        THEN jsonb_build_object('userId', t.asked_by, 'name', t.asked_by_name) END AS asker`,
      leaseMs,
      async handle(connection, due) {
        const moved = await sendDue(kyselyOn(connection), due, needs)
        return () => needs.tellChanged(moved)
      },
    }),
    createLeaseQueue<{ id: number }>(needs, {
      table: advertisementTable,
      key: ['id'],
      columns: 't.id',
      leaseMs,
      batchSize: advertisementsAtOnce,
      async handle(connection, due) {
        const trx = kyselyOn(connection)
        const moved: MovingDelivery[] = []
        for (const { id } of due.toSorted((a, b) => a.id - b.id)) {
          const advertisement = await lockForWork(trx, id)
          if (advertisement) moved.push(...(await renew(trx, advertisement, needs)))
        }
        return () => needs.tellChanged(moved)
      },
    }),
  ]
}

/** Sends the commands of deliveries that are due, to cabinets that everybody whose decision it is reaches now. */
async function sendDue(
  trx: Trx,
  due: readonly DueDelivery[],
  { commands, files }: Pick<WorkNeeds, 'commands' | 'files'>,
): Promise<MovingDelivery[]> {
  const nowMs = Date.now()
  const about = await readFiles(trx, [...new Set(due.map(({ advertisementId }) => advertisementId))])
  const obstacles = await readObstacles(trx, due, about, nowMs)
  const isOver = (advertisementId: number) => (about.get(advertisementId)?.endsAtMs ?? 0) <= nowMs
  return move(
    trx,
    ofIds(due.map(({ id }) => id)),
    ({ id, state, advertisementId }) => {
      if (state === 'removing') return { kind: 'due', nowMs }
      if (isOver(advertisementId)) return { kind: 'withdrawn', why: 'over', nowMs }
      return obstacles.get(id) ?? { kind: 'due', nowMs }
    },
    async (deliveries) => {
      const asked = deliveries.filter(({ state, dueAtMs }) => commandFor(state) !== null && dueAtMs === null)
      const ids = await commands.send(
        trx,
        asked.map((delivery) =>
          commandOf(delivery, about.get(delivery.advertisementId) as DeliveryFile, files, nowMs),
        ),
      )
      for (const [index, delivery] of asked.entries()) delivery.commandId = ids[index] ?? null
    },
  )
}

function commandOf(
  { state, deviceId, deviceCode, advertisementId }: MovingDelivery,
  file: DeliveryFile,
  files: Pick<Files, 'addressFor'>,
  nowMs: number,
): NewCommand {
  const named = { deviceId, deviceCode }
  if (commandFor(state) === 'withdraw') {
    const deadline = new Date(withdrawDeadlineMs(nowMs))
    return { ...named, topic: 'withdraw', deadline, body: { advertisementId: String(advertisementId) } }
  }
  const deadline = new Date(advertiseDeadlineMs(nowMs, file.endsAtMs))
  return {
    ...named,
    topic: 'advertise',
    deadline,
    body: {
      advertisementId: String(advertisementId),
      name: file.name,
      url: files.addressFor(deviceCode, file.fileId, { expiresAt: deadline }),
      sizeBytes: file.sizeBytes,
      sha256: file.sha256,
      contentType: file.contentType,
      startTime: file.startsAtMs,
      endTime: file.endsAtMs,
    },
  }
}

/**
 * Brings an advertisement to the cabinets that its scope has now, or ends it where its period is over. While the
 * creator's decision does not stand, nothing is sent, and the cabinets that have it keep it until its end, or until they
 * leave the creator's reach.
 */
async function renew(
  trx: Trx,
  advertisement: LockedAdvertisement,
  { commands }: Pick<WorkNeeds, 'commands'>,
): Promise<MovingDelivery[]> {
  const { id, endsAt, isDeleted } = advertisement
  const nowMs = Date.now()
  if (isDeleted || endsAt.getTime() <= nowMs) {
    await setDue(trx, id, null)
    return isDeleted ? [] : withdraw(trx, ofAdvertisement(id), 'over', commands)
  }
  await setDue(trx, id, new Date(Math.min(endsAt.getTime(), nowMs + resolveEveryMs)))
  const { cabinets, createdBy, createdByName, organizationId } = advertisement
  const { scope } = await standingOf(trx, advertisement)
  if (!scope) {
    const held = await takeBack(trx, await lockUnsent(trx, id), { kind: 'held' }, commands)
    // A cabinet that goes to others meanwhile does not keep it: theirs never decided on it.
    const [reach = nothing] = await scopesOfPeople(trx, [
      { userId: createdBy, name: createdByName, reach: null },
    ])
    if (reach === nothing) return held
    const own = reach === everything ? [] : [await scopeBy(trx, organizationId, { O: [], ET: [], R: [] })]
    const within = await cabinetsChosen(trx, intersectScopes([reach, ...own]), lastingPartOf(cabinets))
    return [...held, ...(await withdraw(trx, outside(id, within), 'leftScope', commands))]
  }
  const resumed = await move(trx, heldOf(id), () => ({ kind: 'resumed', nowMs }))
  const matching = await cabinetsChosen(trx, scope, lastingPartOf(cabinets))
  const left = await withdraw(trx, outside(id, matching), 'leftScope', commands)
  const unasked = await takeBackUnasked(trx, id, commands)
  const returned = await move(trx, backInside(id, matching), () => ({ kind: 'returned', nowMs }))
  const isOpen = !isOfTheMoment(cabinets)
  if (isOpen && (await addDeliveries(trx, id, matching)) > 0) await wakeDeliveries(trx, 0)
  return [...resumed, ...left, ...unasked, ...returned]
}

/** Takes back the commands of attempts that a user asked for who does not reach the cabinet any more. */
async function takeBackUnasked(
  trx: Trx,
  id: number,
  commands: Pick<Commands, 'cancel'>,
): Promise<MovingDelivery[]> {
  const unasked: MovingDelivery[] = []
  for (const asker of await listUnsentAskers(trx, id)) {
    const { scope, stopped } = await standingOfAsker(trx, asker)
    if (scope === everything) continue
    const reason = stopped ? describeStop(stopped) : reasons.beyondAsker
    const unsent = await lockUnsent(trx, id, { by: asker.userId, beyond: scope ?? nothing })
    unasked.push(...(await takeBack(trx, unsent, { kind: 'unasked', reason }, commands)))
  }
  return unasked
}

/** Ends commands that no cabinet has been handed, and applies the event to their deliveries. */
async function takeBack(
  trx: Trx,
  unsent: readonly { id: string; commandId: string }[],
  event: DeliveryEvent,
  commands: Pick<Commands, 'cancel'>,
): Promise<MovingDelivery[]> {
  await commands.cancel(
    trx,
    unsent.map(({ commandId }) => commandId),
  )
  return move(trx, ofIds(unsent.map((delivery) => delivery.id)), () => event)
}
