/**
 * Advertisements as users see and change them. A user sees those of the own organization and of the ones under it,
 * and of their cabinets those in the own data scope.
 */
import {
  advertisementContentTypes,
  type createAdvertisement,
  describeStop,
  type exportLeftOutOfAdvertisement,
  type FileReply,
  formatDateTime,
  type KeptFile,
  type listAdvertisements,
  type listDeliveries,
  type ParsedInputFor,
  type previewDeliveries,
  type retryDeliveries,
  type StoredFile,
} from '@voltkeep/contract'
import { type DataScope, intersectScopes, scopeOf } from '../../domain/access/data-scope.ts'
import { reachesChoiceOf } from '../../domain/access/reaches.ts'
import { firstId, inPortions } from '../../domain/device-work/device-work.ts'
import { leftOutFile } from '../../domain/device-work/left-out.ts'
import type { Actor } from '../../platform/calls/actor.ts'
import { Refusal, refuse, refuseInput } from '../../platform/calls/refusal.ts'
import type { Db, Trx } from '../../platform/database/database.ts'
import { idNumber } from '../../platform/database/ids.ts'
import { recordOperation, shownDevices } from '../../platform/database/operation-log.ts'
import { pageOf } from '../../platform/database/paging.ts'
import type { Commands } from '../../platform/devices/commands/commands.ts'
import type { Files } from '../../platform/files/kept/index.ts'
import { endMoment, rangeEdges } from '../../platform/process/clock.ts'
import { sharedNow, sharedNowMs } from '../../platform/process/clocks/shared-clock.ts'
import { devicesChosen, listUnknownCodes } from '../devices/index.ts'
import { readStops, standingOf } from './advertisements.deciders.ts'
import * as queries from './advertisements.queries.ts'
import { resolveEveryMs } from './advertisements.rules.ts'
import { cabinetsChosen, isOfTheMoment, leftOutOf, leftOutTexts } from './cabinet-choice.ts'
import { addDeliveries, failedWithin, ofAdvertisement, readReach } from './deliveries.queries.ts'
import { deliveries, type MovingDelivery, withdraw } from './deliveries.work.ts'
import { createSharedPictures } from './shared-pictures.ts'

export type Advertisements = ReturnType<typeof createAdvertisements>

export interface AdvertisementNeeds {
  db: Db
  files: Pick<Files, 'find' | 'discard'>
  commands: Pick<Commands, 'cancel'>
  /** Called after the commit. */
  tellChanged: (changed: readonly MovingDelivery[]) => void
}

type Form = ParsedInputFor<typeof createAdvertisement>

const annexPrefix = 'annex/'

export function createAdvertisements({ db, files, commands, tellChanged }: AdvertisementNeeds) {
  return {
    ...createSharedPictures({ db, files }),

    async listAdvertisements(actor: Actor, input: ParsedInputFor<typeof listAdvertisements>) {
      const filter = { ...input, ids: input.ids?.map(idNumber) }
      const [rows, total, scope] = await Promise.all([
        queries.listAdvertisements(db, actor, filter, pageOf(input)),
        queries.countAdvertisements(db, actor, filter),
        scopeOf(db, actor),
      ])
      const [counts, stops] = await Promise.all([
        queries.countDeliveries(
          db,
          scope,
          rows.map(({ id }) => id),
        ),
        readStops(
          db,
          rows.filter(isUnderWay).map(({ createdBy, createBy }) => ({ createdBy, createdByName: createBy })),
        ),
      ])
      return {
        rows: rows.map(({ fileId, createdBy, ...row }) => ({
          ...row,
          annexUrl: annexPrefix + fileId,
          stopped: isUnderWay(row) ? (stops.get(createdBy) ?? null) : null,
          counts: counts.get(row.id) ?? queries.noDeliveries,
        })),
        total,
      }
    },

    /** The cabinets that an advertisement would reach now, of those that the caller sees. */
    async previewDeliveries(actor: Actor, { cabinets }: ParsedInputFor<typeof previewDeliveries>) {
      const scope = await scopeOf(db, actor)
      const [chosen, matching] = [
        await devicesChosen(db, scope, cabinets),
        await cabinetsChosen(db, scope, cabinets),
      ]
      return readReach(db, { chosen: cabinets.isAll === 1 ? matching : chosen, matching })
    },

    async exportLeftOutOfAdvertisement(
      actor: Actor,
      { cabinets }: ParsedInputFor<typeof exportLeftOutOfAdvertisement>,
    ): Promise<FileReply> {
      const scope = await scopeOf(db, actor)
      // Of all devices only the cabinets are meant.
      const isAll = cabinets.isAll === 1
      const chosen = await (isAll ? cabinetsChosen : devicesChosen)(db, scope, cabinets)
      return leftOutFile(db, '不投放的设备', leftOutOf(chosen), leftOutTexts)
    },

    /** Refuses a file that is neither an image nor a video by its content (400 on `file`), and keeps nothing of it. */
    async uploadAdvertisementFile(file: StoredFile) {
      if (!isShowable(file)) {
        await files.discard(file.id)
        refuseInput({ field: 'file', message: '仅支持 JPG、PNG、GIF、WebP 图片和 MP4、WebM 视频' })
      }
      const { id, name, contentType, sizeBytes, md5 } = file
      return { annexUrl: annexPrefix + id, fileMame: name, contentType, sizeBytes, md5 }
    },

    /**
     * Writes the advertisement and a delivery for each cabinet of the choice that the caller sees. Refuses (400) a
     * file that the caller has not uploaded or that is in use, a period that is over, a choice without cabinets, and
     * an advertisement to replace that the caller does not see.
     */
    async createAdvertisement(actor: Actor, form: Form) {
      const period = periodOf(form)
      return db.transaction().execute(async (trx) => {
        const file = await uploadedFile(trx, actor, form.annexUrl)
        const replacedId = await replacedOf(trx, actor, form)
        const { cabinets } = form
        const matching = await cabinetsChosen(trx, await scopeOf(trx, actor), cabinets)
        const id = await queries.insertAdvertisement(trx, {
          name: form.adName,
          fileId: file.id,
          fileName: form.fileMame,
          ...period,
          cabinets,
          createdBy: actor.userId,
          createdByName: actor.loginName,
          organizationId: actor.organizationId,
          replacedId,
        })
        const cabinetCount = await addDeliveries(trx, id, matching)
        await deliveries.wake(trx, 0)
        if (cabinetCount === 0) refuseInput({ field: 'cabinets', message: '没有符合条件的柜机' })
        await queries.setDue(
          trx,
          id,
          new Date(Math.min(period.endsAt.getTime(), sharedNowMs() + resolveEveryMs)),
        )
        await recordOperation(trx, actor, {
          target: targetOf(form.adName),
          changes: {
            after: {
              adName: form.adName,
              fileMame: form.fileMame,
              adStartTime: form.adStartTime,
              adEndTime: form.adEndTime,
              devices: shownDevices(cabinets),
              cabinetCount,
            },
          },
        })
        return { id, cabinetCount }
      })
    },

    /**
     * Ends the period now; the queue has the cabinets remove the file, as at any end. Throws `advertisementNotFound`,
     * `advertisementReachesBeyond` as a deletion does, and `advertisementNotRunning`.
     */
    async endAdvertisement(actor: Actor, id: string) {
      await db.transaction().execute(async (trx) => {
        const advertisement = await lockOwn(trx, actor, id)
        if (!(await queries.endNow(trx, advertisement.id))) refuse('advertisementNotRunning')
        await queries.setDue(trx, advertisement.id, sharedNow())
        await recordOperation(trx, actor, {
          target: targetOf(advertisement.name),
          changes: {
            before: { adEndTime: formatDateTime(advertisement.endsAt) },
            after: { adEndTime: formatDateTime(sharedNow()) },
          },
        })
      })
    },

    /**
     * Marks the advertisement as deleted, and has its cabinets remove the file. Throws `advertisementNotFound`, and
     * `advertisementReachesBeyond` where it has, or may come to have, cabinets that the caller does not see.
     */
    async deleteAdvertisement(actor: Actor, id: string) {
      const moved = await db.transaction().execute(async (trx) => {
        const advertisement = await lockOwn(trx, actor, id)
        await queries.markDeleted(trx, advertisement.id)
        const { rows, hasMore } = await withdraw(trx, ofAdvertisement(advertisement.id), 'deleted', commands)
        await queries.setDue(trx, advertisement.id, hasMore ? sharedNow() : null)
        await recordOperation(trx, actor, {
          target: targetOf(advertisement.name),
          changes: { before: { adName: advertisement.name } },
        })
        return rows
      })
      tellChanged(moved)
    },

    async previewAdvertisement(actor: Actor, adId: string): Promise<KeptFile> {
      const { fileId } = await find(actor, adId)
      return { file: await files.find(fileId), disposition: 'inline' }
    },

    async listDeliveries(actor: Actor, input: ParsedInputFor<typeof listDeliveries>) {
      const { id: advertisementId } = await find(actor, input.adId)
      const scope = await scopeOf(db, actor)
      const filter = { ...input, advertisementId }
      const [rows, total] = await Promise.all([
        queries.listDeliveries(db, scope, filter, pageOf(input)),
        queries.countMatchingDeliveries(db, scope, filter),
      ])
      return { rows, total }
    },

    async listFailureReasons(actor: Actor, adId: string) {
      const { id } = await find(actor, adId)
      return queries.listFailureReasons(db, await scopeOf(db, actor), id)
    },

    /**
     * Sends again to the cabinets that failed or refused, as far as both the caller and the creator reach them. Returns
     * how many. Throws `advertisementOver`, `advertisementStopped` while the creator's decision does not stand, and
     * `advertisementNothingToRetry`.
     */
    async retryDeliveries(actor: Actor, { id, deliveryIds }: ParsedInputFor<typeof retryDeliveries>) {
      const count = await inPortions(db, async (trx, afterId) => {
        const advertisement = await lockVisible(trx, actor, id)
        if (advertisement.endsAt.getTime() <= sharedNowMs() || advertisement.isDeleted)
          refuse('advertisementOver')
        const { scope, stopped } = await standingOf(trx, advertisement)
        if (stopped) throw new Refusal('advertisementStopped', null, `${describeStop(stopped)}，不能重试`)
        const nowMs = sharedNowMs()
        const asker =
          advertisement.createdBy === actor.userId ? null : { userId: actor.userId, name: actor.loginName }
        const within = intersectScopes([scope, await scopeOf(trx, actor)])
        const retried = await deliveries.movePortion(
          trx,
          failedWithin(within, advertisement.id, deliveryIds ?? null),
          () => ({ kind: 'retried', nowMs }),
          {
            afterId,
            async prepare(rows) {
              // An attempt that is only brought forward stays with whose it is; the creator's own retry is the creator's.
              for (const row of rows) if (row.attempts === 0 || asker === null) row.asker = asker
            },
          },
        )
        if (retried.rows.length === 0 && afterId === firstId) refuse('advertisementNothingToRetry')
        await recordOperation(trx, actor, {
          target: targetOf(advertisement.name),
          changes: { after: { retried: retried.rows.length } },
        })
        return { ...retried, tell: () => tellChanged(retried.rows) }
      })
      return { count }
    },
  }

  async function find(actor: Actor, id: string) {
    return (await queries.findAdvertisement(db, actor, idNumber(id))) ?? refuse('advertisementNotFound')
  }

  async function uploadedFile(trx: Trx, actor: Actor, annexUrl: string): Promise<StoredFile> {
    const wrong = () => refuseInput({ field: 'annexUrl', message: '文件不存在或已失效，请重新上传' })
    if (!annexUrl.startsWith(annexPrefix)) return wrong()
    const file = await files.find(annexUrl.slice(annexPrefix.length), trx).catch(wrong)
    // Another user's upload, a file of another kind, or one that is in use counts as no file.
    if (file.uploadedBy !== actor.userId || !isShowable(file)) return wrong()
    if (await queries.isFileUsed(trx, file.id)) return wrong()
    return file
  }
}

async function lockVisible(trx: Trx, actor: Actor, id: string) {
  return (await queries.lockAdvertisement(trx, actor, idNumber(id))) ?? refuse('advertisementNotFound')
}

async function lockOwn(trx: Trx, actor: Actor, id: string) {
  const advertisement = await lockVisible(trx, actor, id)
  if (advertisement.isDeleted) refuse('advertisementNotFound')
  await mustReach(trx, actor, advertisement)
  return advertisement
}

/** Refuses where it is, or may come to be, for cabinets that the actor does not see. */
async function mustReach(trx: Trx, actor: Actor, advertisement: queries.LockedAdvertisement): Promise<void> {
  const { id, cabinets, endsAt, createdBy, decidedIn } = advertisement
  const scope = await scopeOf(trx, actor)
  if (await queries.reachesBeyond(trx, scope, id)) refuse('advertisementReachesBeyond')
  if (endsAt.getTime() <= sharedNowMs() || !(await mayHaveOthers(trx, scope, advertisement))) return
  const decider = { userId: createdBy, decidedIn }
  if (!(await reachesChoiceOf(trx, actor.userId, decider, cabinets.filters ?? {})))
    refuse('advertisementReachesBeyond')
}

/**
 * Whether it may come to have cabinets that are not in the scope. One by codes does where a code names none that is: a
 * cabinet that is registered by it later, or comes into the creator's reach, is added. One by a state of the moment gets
 * none but those back that have left the creator's reach.
 */
async function mayHaveOthers(
  trx: Trx,
  scope: DataScope,
  { id, cabinets }: queries.LockedAdvertisement,
): Promise<boolean> {
  if (isOfTheMoment(cabinets)) return queries.hasLeftBeyond(trx, scope, id)
  return !cabinets.codes || (await listUnknownCodes(trx, scope, cabinets.codes)).length > 0
}

async function replacedOf(trx: Trx, actor: Actor, { replacedAdId }: Form): Promise<number | null> {
  if (replacedAdId === undefined) return null
  const replaced = await queries.lockAdvertisement(trx, actor, idNumber(replacedAdId))
  if (!replaced || replaced.isDeleted)
    return refuseInput({ field: 'replacedAdId', message: '被替换的广告不存在' })
  await mustReach(trx, actor, replaced)
  return replaced.id
}

function periodOf({ adStartTime, adEndTime }: Form): { startsAt: Date; endsAt: Date } {
  const { from } = rangeEdges({ startTime: adStartTime })
  if (!from) throw new Error('the schema requires it')
  const endsAt = endMoment(adEndTime)
  if (endsAt.getTime() <= sharedNowMs())
    refuseInput({ field: 'adEndTime', message: '结束时间应晚于当前时间' })
  return { startsAt: from, endsAt }
}

const isUnderWay = ({ status }: Pick<queries.AdvertisementRecord, 'status'>) =>
  status === 'planned' || status === 'running'

const isShowable = ({ contentType }: StoredFile) =>
  (advertisementContentTypes as readonly string[]).includes(contentType)

const targetOf = (name: string) => `广告 ${name}`
