// Timed work: commands of deliveries that are due, and the scope and the end of running advertisements.
import { describeStop } from '@voltkeep/contract'
import { type SqlBool, sql } from 'kysely'
import { deviceWithinScope, everything, nothing } from '../../domain/access/data-scope.ts'
import { cutToOrganization } from '../../domain/access/deciders.ts'
import { scopesOfPeople } from '../../domain/access/reaches.ts'
import { type Portion, type QueueNeeds, together } from '../../domain/device-work/device-work.ts'
import { createOwnerQueue } from '../../domain/device-work/owners.ts'
import { isUnsent } from '../../domain/device-work/work.queries.ts'
import type { Trx } from '../../platform/database/database.ts'
import type { Worker } from '../../platform/database/work/worker.ts'
import type { Commands, NewCommand } from '../../platform/devices/commands/commands.ts'
import type { Files } from '../../platform/files/kept/index.ts'
import { sharedNow, sharedNowMs } from '../../platform/process/clocks/shared-clock.ts'
import { readObstacles, standingOf, standingOfAsker } from './advertisements.deciders.ts'
import {
  advertisementTable,
  type LockedAdvertisement,
  lockForWork,
  setDue,
} from './advertisements.queries.ts'
import { advertiseDeadlineMs, resolveEveryMs, withdrawDeadlineMs } from './advertisements.rules.ts'
import { commandFor, type DeliveryEvent, reasons } from './advertisements.states.ts'
import { cabinetsChosen, isOfTheMoment, lastingPartOf } from './cabinet-choice.ts'
import {
  addDeliveries,
  backInside,
  type DeliveryFile,
  heldOf,
  ofAdvertisement,
  outside,
  readFiles,
} from './deliveries.queries.ts'
import { deliveries, type MovingDelivery, withdraw } from './deliveries.work.ts'

type WorkNeeds = QueueNeeds<MovingDelivery> & { commands: Commands; files: Pick<Files, 'addressFor'> }

/** Advertisements whose scope is to be resolved again or whose period is over. */
export const createAdvertisementQueue = (needs: WorkNeeds): Worker =>
  createOwnerQueue(needs, {
    table: advertisementTable,
    lock: lockForWork,
    async look(trx, advertisement) {
      const { rows, hasMore } = await renew(trx, advertisement, needs.commands)
      if (hasMore) await setDue(trx, advertisement.id, sharedNow())
      return () => needs.tellChanged(rows)
    },
  })

interface Look {
  about: ReadonlyMap<number, DeliveryFile>
  obstacles: ReadonlyMap<string, DeliveryEvent>
  nowMs: number
}

/** Sends the commands of deliveries that are due, to cabinets that everybody whose decision it is reaches now. */
export const createDeliveryQueue = (needs: WorkNeeds): Worker =>
  deliveries.queue<Look>(needs, {
    leaseMs: 60_000,
    async read(trx, rows, nowMs) {
      const about = await readFiles(trx, [...new Set(rows.map(({ advertisementId }) => advertisementId))])
      return { about, obstacles: await readObstacles(trx, rows, about, nowMs), nowMs }
    },
    eventsOf({ id, state, endsAtMs }, { obstacles, nowMs }) {
      if (state === 'removing') return { kind: 'due', nowMs }
      if (endsAtMs <= nowMs) return { kind: 'withdrawn', why: 'over', nowMs }
      return obstacles.get(id) ?? { kind: 'due', nowMs }
    },
    commandOf(delivery, { about, nowMs }) {
      const file = about.get(delivery.advertisementId)
      return file && commandFor(delivery.state) !== null
        ? commandOf(delivery, file, needs.files, nowMs)
        : null
    },
  })

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
  commands: Pick<Commands, 'cancel'>,
): Promise<Portion<MovingDelivery>> {
  const { id, endsAt, isDeleted } = advertisement
  const nowMs = sharedNowMs()
  if (isDeleted || endsAt.getTime() <= nowMs) {
    await setDue(trx, id, null)
    return withdraw(trx, ofAdvertisement(id), isDeleted ? 'deleted' : 'over', commands)
  }
  await setDue(trx, id, new Date(Math.min(endsAt.getTime(), nowMs + resolveEveryMs)))
  const { cabinets, createdBy, createdByName, decidedIn } = advertisement
  const { scope } = await standingOf(trx, advertisement)
  const unsent = sql<SqlBool>`${ofAdvertisement(id)} AND ${isUnsent}`
  if (!scope) {
    const held = await deliveries.takeBack(trx, unsent, commands, () => ({ kind: 'held' }))
    // A cabinet that goes to others meanwhile does not keep it: theirs never decided on it.
    const [reach = nothing] = await scopesOfPeople(trx, [
      { userId: createdBy, name: createdByName, reach: null },
    ])
    if (reach === nothing) return held
    const own = await cutToOrganization(trx, reach, decidedIn)
    const within = await cabinetsChosen(trx, own, lastingPartOf(cabinets))
    return together([held, await withdraw(trx, outside(id, within), 'leftScope', commands)])
  }
  const resumed = await deliveries.movePortion(trx, heldOf(id), () => ({ kind: 'resumed', nowMs }))
  const matching = await cabinetsChosen(trx, scope, lastingPartOf(cabinets))
  const left = await withdraw(trx, outside(id, matching), 'leftScope', commands)
  const unasked: Portion<MovingDelivery>[] = []
  for (const asker of await deliveries.listUnsentAskers(trx, ofAdvertisement(id))) {
    const standing = await standingOfAsker(trx, asker)
    if (standing.scope === everything) continue
    const reason = standing.stopped ? describeStop(standing.stopped) : reasons.beyondAsker
    const beyond = sql<SqlBool>`${unsent} AND t.asked_by = ${asker.userId}
      AND NOT ${deviceWithinScope(standing.scope ?? nothing)}`
    unasked.push(await deliveries.takeBack(trx, beyond, commands, () => ({ kind: 'unasked', reason })))
  }
  const returned = await deliveries.movePortion(trx, backInside(id, matching), () => ({
    kind: 'returned',
    nowMs,
  }))
  const isOpen = !isOfTheMoment(cabinets)
  if (isOpen && (await addDeliveries(trx, id, matching)) > 0) await deliveries.wake(trx, 0)
  return together([resumed, left, ...unasked, returned])
}
