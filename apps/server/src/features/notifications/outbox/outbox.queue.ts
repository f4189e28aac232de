/**
 * Sends what waits on channels: one message of a channel at a time, within its rate. What has come together goes out in
 * one message, so a rate that is used up makes messages longer and not later.
 *
 * A message is a row before it leaves. A process that dies with it leaves a row in the state `sending`, which counts as an
 * attempt that has failed once the channel's lease is over: a message may arrive twice then, and none is lost. One that its
 * server has got and not answered is tried once more at most, and told by no other channel.
 */
import { formatDateTime, type Language, type NotifyEvent } from '@voltkeep/contract'
import type pg from 'pg'
import type { Db, Trx } from '../../../platform/database/database.ts'
import type { Notices } from '../../../platform/database/notices/notices.ts'
import { statementsOf } from '../../../platform/database/statements.ts'
import { createLeaseQueue, wake } from '../../../platform/database/work/lease-queue.ts'
import type { Worker } from '../../../platform/database/work/worker.ts'
import { sharedNowMs } from '../../../platform/process/clocks/shared-clock.ts'
import { createLanes } from '../../../platform/process/lanes.ts'
import { speaking } from '../../../platform/process/language/speech.ts'
import type { Log } from '../../../platform/process/log.ts'
import type { Sealer } from '../../../platform/process/sealing.ts'
import { spoken } from '../../../platform/process/sentences.ts'
import { isNothing, isQuiet, readQuiet } from '../../alarms/index.ts'
import { lockBucket, pauseOthers, writeTokens } from '../channels/rates.queries.ts'
import { openTarget } from '../channels/sealed.ts'
import { listAddresses } from '../contacts/contacts.queries.ts'
import type { Escalations } from '../escalations/escalations.ts'
import { forgetFile, readFile } from '../letters/letters.queries.ts'
import { giveUpUndecided } from '../letters/undecided-letters.ts'
import { quietUntil } from '../rules/quiet-hours.ts'
import { isLetter, type Senders, sendLimitMs } from '../senders/index.ts'
import { entriesNamed, type NoticeMessage, type SubjectKind, titleOf } from '../senders/message.ts'
import { type Bucket, rates, refilled, take } from '../senders/rates.ts'
import { died, type SendResult, type Target, unanswered } from '../senders/sender.ts'
import { forgetBack } from './others.queries.ts'
import * as queries from './outbox.queries.ts'
import { forgetUndecided } from './undecided.ts'
import { channelTable, wakeChannels } from './waking.ts'

const leaseMs = 60_000
/** A channel is kept for its message beyond the limit of the attempt: until its result is written down. */
const leaseMarginMs = 30_000
/** When the process stops, what is under way has so long to end by itself. */
const stopMs = 10_000
/** Channels whose messages are prepared at once, each of another organization. */
const preparedAtOnce = 4
/** One message counts at most so many alarms; those beyond it follow in the next. */
const itemsAtMost = 20_000
/** From one attempt to the next. After the last another channel tells it, or nobody does. */
const retriesMs = [5_000, 30_000, 120_000, 600_000, 1_800_000, 3_600_000, 7_200_000, 14_400_000]
/** Of level 1, where there is another channel: three minutes. */
const criticalRetries = 3

interface Sending {
  channel: queries.DueChannel
  deliveryId: string
  message: NoticeMessage
  attempts: number
  /** The people who are told; none where the channel's own receivers are. */
  userIds: number[]
  /** The attempt before was not answered: this is the last one. */
  mayHaveArrived: boolean
  /** What a sender that has died has left to write down. */
  result?: SendResult
}

export interface OutboxNeeds {
  db: Db
  pool: pg.Pool
  notices: Pick<Notices, 'publish' | 'subscribe'>
  log: Log
  sealer: Sealer
  senders: Senders
  consoleUrl: () => string
  escalations: Pick<Escalations, 'settleIn'>
}

export function createOutboxQueue(needs: OutboxNeeds): Worker {
  const { db, log } = needs
  const underWay = new Set<Promise<void>>()
  const lanes = createLanes(preparedAtOnce)
  /** Channels whose turn has not come. */
  const waiting = new Set<number>()
  const stopping = new AbortController()

  /** In a transaction of its own: nobody's messages, and no lease, wait for another channel. */
  async function tell(id: number, isAgain = false): Promise<void> {
    waiting.delete(id)
    try {
      const sending = await db.transaction().execute((trx) => beginSending(trx, id, needs))
      if (!sending) return
      const sent = send(needs, sending, stopping.signal).finally(() => underWay.delete(sent))
      underWay.add(sent)
    } catch (err) {
      // Two that have waited for each other do so no more.
      if (!isAgain) return await tell(id, true)
      // The channel is looked at again after the lease.
      log.error(
        { err, channel: id },
        spoken({
          zh: '通知暂时无法生成，稍后重试',
          en: 'a notice could not be made and is tried again later',
        }),
      )
    }
  }

  const queue = createLeaseQueue<{ id: number; organizationId: number }>(needs, {
    table: channelTable,
    key: ['id'],
    columns: 't.id, t.organization_id AS "organizationId"',
    leaseMs,
    batchSize: 20,
    handle: async (_, due) => () => {
      for (const { id, organizationId } of due) {
        if (waiting.has(id)) continue
        waiting.add(id)
        lanes.add(organizationId, () => tell(id))
      }
    },
  })
  return {
    start: () => queue.start(),
    async stop() {
      await queue.stop()
      await lanes.drain()
      const timer = setTimeout(() => stopping.abort(), stopMs)
      await Promise.all(underWay)
      clearTimeout(timer)
    },
  }
}

/** Prepares the next message of a channel, or says when to look again. */
async function beginSending(
  trx: Trx,
  id: number,
  { consoleUrl, escalations, sealer }: Pick<OutboxNeeds, 'consoleUrl' | 'escalations' | 'sealer'>,
): Promise<Sending | null> {
  const channel = await queries.readDueChannel(trx, id)
  if (!channel) return null
  const again = async (at: Date | null) => {
    await queries.rescheduleChannel(trx, id, at)
    // The queue knows of the lease alone.
    if (at) await statementsOf(trx).query(wake(channelTable, at.getTime() - channel.now.getTime()))
    return null
  }
  if (!channel.isEnabled) return again(null)
  if (channel.busyUntil) return again(channel.busyUntil)
  if (channel.pausedUntil) return again(channel.pausedUntil)
  const rate = rates[channel.kind]
  const shared = await lockBucket(trx, sealer, channel)
  // Whatever has woken the channel meanwhile: the last message to its address began when its token was taken.
  const restsUntilMs = shared.atMs + rate.pauseMs
  if (restsUntilMs > channel.now.getTime()) return again(new Date(restsUntilMs))
  const bucket = refilled(shared, rate, channel.now.getTime())
  const occupy = async ({ tokens }: Bucket) => {
    await writeTokens(trx, shared.key, tokens)
    await queries.occupyChannel(trx, id, sendLimitMs(channel.kind) + leaseMarginMs)
  }

  const open = await readDecided(trx, escalations, id, channel.now)
  if (open && isDue(open, channel.now)) {
    const { id: deliveryId, attempts, userIds } = open
    const mayHaveArrived = open.code === unanswered.code
    const another = { channel, deliveryId, message: messageFrom(open.message), userIds, mayHaveArrived }
    if (open.retryAt === null && attempts > 0) {
      await queries.occupyChannel(trx, id, leaseMs)
      return { ...another, attempts, result: died }
    }
    const taken = take(bucket, rate, open.hasCritical)
    if ('waitMs' in taken) return again(new Date(channel.now.getTime() + taken.waitMs))
    await queries.beginAttempt(trx, deliveryId)
    await occupy(taken.left)
    return { ...another, attempts: attempts + 1 }
  }

  const { items, rules } = await takeWaiting(trx, escalations, channel, open !== undefined)
  if (items.length === 0) return again(open?.retryAt ?? (await queries.readNextDue(trx, id)))
  const isCritical = items.some(({ event, level }) => event !== 'recovered' && level === 1)
  const taken = take(bucket, rate, isCritical)
  if ('waitMs' in taken) return again(new Date(channel.now.getTime() + taken.waitMs))
  const message = messageOf(items, consoleUrl())
  const toldIds = new Set(items.map(({ ruleId }) => ruleId))
  const told = [
    ...new Map(rules.filter(({ ruleId }) => toldIds.has(ruleId)).map((rule) => [rule.ruleId, rule])).values(),
  ]
  const people = new Map(
    items.flatMap(({ userId, userName }) => (userId === null ? [] : [[userId, userName ?? '']])),
  )
  const deliveryId = await queries.insertDelivery(trx, {
    channel,
    ruleNames: told.map(({ ruleName }) => ruleName),
    decidedBy: [...new Set(told.map(({ ruleBy }) => ruleBy))],
    // 0: a SYSTEM user's, which is of no organization.
    decidedIn: [...new Set(told.map(({ ruleIn }) => ruleIn ?? 0))],
    title: titleOf(message),
    message: { ...message, raisedByLevel: [...message.raisedByLevel] },
    alarmCount: new Set(items.map(({ kind, subjectId }) => `${kind} ${subjectId}`)).size,
    itemIds: items.map((item) => item.id),
    people: [...people].map(([userId, name]) => ({ id: userId, name })),
  })
  await occupy(taken.left)
  return {
    channel,
    deliveryId,
    message: { ...message, id: `n-${deliveryId}` },
    attempts: 1,
    userIds: [...people.keys()],
    mayHaveArrived: false,
  }
}

/**
 * What the next message tells, and by which rules. A mail goes to the channel's receivers, or to one person; a robot speaks
 * to its group, and mentions people. While a message waits for its next attempt only alarms of level 1 try their luck.
 */
async function takeWaiting(
  trx: Trx,
  escalations: Pick<Escalations, 'settleIn'>,
  { id, kind, now }: queries.DueChannel,
  isCriticalOnly: boolean,
): Promise<{ items: readonly queries.WaitingItem[]; rules: readonly queries.WaitingPair[] }> {
  const all: queries.Told = { channelId: id, deliveryId: null }
  await forgetBack(trx, id)
  const quiet = await readQuiet(trx, now)
  if (!isNothing(quiet)) await queries.forgetQuiet(trx, all, isQuiet(quiet))
  for (;;) {
    const [first] = await queries.listWaiting(trx, all, isCriticalOnly, 1)
    if (!first) return { items: [], rules: [] }
    const told = isLetter(kind) ? { ...all, userId: first.userId } : all
    await forgetUndecided(trx, escalations, told, now)
    const waiting = await queries.listWaiting(trx, told, isCriticalOnly, itemsAtMost)
    const rules = await queries.listRulesOf(trx, told)
    const ruleIds = new Set<number | null>(rules.map(({ ruleId }) => ruleId))
    // A rule may be deleted between the two: what nobody decides any more is told to nobody, and forgotten at the next look.
    const items = waiting.filter(({ ruleId }) => ruleIds.has(ruleId))
    if (items.length > 0) return { items, rules }
  }
}

const isDue = ({ retryAt }: queries.OpenDelivery, now: Date) => retryAt === null || retryAt <= now

/**
 * The oldest message of the channel that is not over. One that is due for another attempt is asked about again: its people
 * may have gone or see less meanwhile, and another user may have set another address.
 */
async function readDecided(
  trx: Trx,
  escalations: Pick<Escalations, 'settleIn'>,
  channelId: number,
  now: Date,
): Promise<queries.OpenDelivery | undefined> {
  for (;;) {
    const open = await queries.readOpenDelivery(trx, channelId)
    if (!open || !isDue(open, now)) return open
    if (await giveUpUndecided(trx, open.id)) continue
    await forgetUndecided(trx, escalations, { channelId, deliveryId: open.id }, now)
    if (!(await queries.takeApart(trx, open.id, '告警已有人处理，或相关人员的权限已变化'))) return open
  }
}

/** An alarm that several rules want told is in it once; where nobody has acknowledged it, it says so. */
function messageOf(items: readonly queries.WaitingItem[], consoleUrl: string): NoticeMessage {
  const onceByKey = new Map<string, queries.WaitingItem>()
  for (const item of items) {
    const isEnd = item.event === 'recovered' || item.event === 'deviceOnline'
    const key = `${isEnd} ${item.kind} ${item.subjectId} ${item.kind === 'alarm' ? '' : item.event}`
    if (item.event === 'escalated' || !onceByKey.has(key)) onceByKey.set(key, item)
  }
  const once = [...onceByKey.values()]
  const alarms = once.filter(({ kind }) => kind === 'alarm')
  const raised = alarms.filter(({ event }) => event !== 'recovered')
  const byLevel = Map.groupBy(raised, ({ level }) => level)
  const countOf = (wanted: NotifyEvent) => once.filter(({ event }) => event === wanted).length
  const [first] = once
  return {
    id: '',
    entries: once.slice(0, entriesNamed).map((item) => ({
      event: item.event,
      kind: item.kind,
      repeats: item.repeats,
      level: item.level,
      what: item.what,
      deviceCode: item.deviceCode,
      deviceName: item.deviceName,
      place: item.place,
      at: item.at,
      link: linkOf(item, consoleUrl),
    })),
    raisedByLevel: new Map([...byLevel].map(([level, of]) => [level, of.length])),
    recovered: alarms.length - raised.length,
    escalated: countOf('escalated'),
    offline: countOf('deviceOffline'),
    online: countOf('deviceOnline'),
    tasks: countOf('taskPaused') + countOf('taskEnded'),
    link: `${consoleUrl}${listPaths[first?.kind ?? 'alarm']}`,
  }
}

const listPaths: Record<SubjectKind, string> = {
  alarm: '/maintenance/exitWarning',
  device: '/equipment/list?isOnline=0',
  upgrade: '/upgrade/upgradeTask',
  batch: '/maintenance/batchsetting',
}

function linkOf({ kind, subjectId, at }: queries.WaitingItem, consoleUrl: string): string {
  switch (kind) {
    case 'alarm': {
      const query = new URLSearchParams({ tab: 'history', open: subjectId, at: formatDateTime(at) })
      return `${consoleUrl}${listPaths.alarm}?${query}`
    }
    case 'device':
      return `${consoleUrl}/equipment/list?open=${subjectId}`
    case 'upgrade':
      return `${consoleUrl}${listPaths.upgrade}?task=${subjectId}`
    case 'batch':
      return `${consoleUrl}${listPaths.batch}?batch=${subjectId}`
  }
}

/** A message as its row has it. */
function messageFrom(kept: unknown): NoticeMessage {
  const message = kept as Omit<NoticeMessage, 'raisedByLevel'> & {
    raisedByLevel: [number | null, number][]
  }
  return {
    ...message,
    // A message of before there were any does not have these.
    escalated: message.escalated ?? 0,
    offline: message.offline ?? 0,
    online: message.online ?? 0,
    tasks: message.tasks ?? 0,
    entries: message.entries.map((entry) => ({
      ...entry,
      kind: entry.kind ?? 'alarm',
      repeats: entry.repeats ?? 1,
      at: new Date(entry.at),
    })),
    raisedByLevel: new Map(message.raisedByLevel),
  }
}

async function send(
  { db, log, sealer, senders }: OutboxNeeds,
  sending: Sending,
  stopping: AbortSignal,
): Promise<void> {
  const { channel, deliveryId, attempts } = sending
  try {
    const message = { ...sending.message, id: `n-${deliveryId}` }
    const signal = AbortSignal.any([stopping, AbortSignal.timeout(sendLimitMs(channel.kind))])
    const result =
      sending.result ??
      (await sendTo(db, senders, openTarget(sealer, channel), { ...sending, message }, signal))
    const mayHaveArrived = sending.mayHaveArrived || result.code === unanswered.code
    const passedTo = await db.transaction().execute(async (trx) => {
      const now = sharedNowMs()
      const isOver = result.kind !== 'again' || sending.mayHaveArrived
      const retryMs = isOver ? undefined : await retryMsOf(trx, deliveryId, attempts)
      const retryAt = retryMs === undefined ? null : new Date(now + Math.max(retryMs, result.pauseMs ?? 0))
      await queries.writeResult(trx, { channelId: channel.id, deliveryId }, result, retryAt)
      if (message.letter && !retryAt) await forgetFile(trx, deliveryId)
      const isGivenUp = result.kind !== 'delivered' && retryAt === null
      const others = isGivenUp && !mayHaveArrived ? await passOn(trx, deliveryId, new Date(now)) : []
      const dueAt = await queries.readNextDue(trx, channel.id)
      const earliestMs = now + Math.max(rates[channel.kind].pauseMs, result.pauseMs ?? 0)
      await queries.rescheduleChannel(
        trx,
        channel.id,
        dueAt && new Date(Math.max(dueAt.getTime(), earliestMs)),
      )
      if (dueAt)
        await statementsOf(trx).query(wake(channelTable, Math.max(dueAt.getTime(), earliestMs) - now))
      return others
    })
    // Apart: two channels that pass on to each other at once would wait for each other.
    if (passedTo.length > 0) await db.transaction().execute((trx) => wakeChannels(trx, passedTo))
    const { pauseMs } = result
    if (pauseMs) await db.transaction().execute((trx) => pauseOthers(trx, channel.id, pauseMs))
    report(log, channel, result)
  } catch (err) {
    // The row stays in the state `sending`: that counts as an attempt after the lease.
    log.warn(
      { err },
      spoken({ zh: '通知的发送结果未能保存', en: 'the result of a notice could not be kept' }),
    )
  }
}

/** How long until the next attempt; undefined: there is none. */
async function retryMsOf(trx: Trx, deliveryId: string, attempts: number): Promise<number | undefined> {
  const { isCritical, hasOther } = await queries.readFailing(trx, deliveryId)
  return isCritical && hasOther && attempts > criticalRetries ? undefined : retriesMs[attempts - 1]
}

/** Returns the channels that tell instead. */
async function passOn(trx: Trx, deliveryId: string, now: Date): Promise<number[]> {
  const hours = await queries.listQuietHours(trx, deliveryId)
  return await queries.passOn(trx, deliveryId, {
    ruleIds: hours.map(({ ruleId }) => ruleId),
    dueAt: hours.map(
      ({ from, to }) => quietUntil(from === null || to === null ? null : { from, to }, now) ?? now,
    ),
  })
}

/** People are looked up when it is sent: an address may have changed since, or gone. */
async function sendTo(
  db: Db,
  senders: Senders,
  target: Target | null,
  { channel, deliveryId, message, userIds }: Sending,
  signal: AbortSignal,
): Promise<SendResult> {
  const language = await languageOf(db, channel, userIds)
  const send = (content: NoticeMessage) =>
    speaking(language, () => senders.send(channel, target, content, signal))
  if (message.letter) {
    const file = await readFile(db, deliveryId)
    return await send({ ...message, letter: { ...message.letter, file } })
  }
  if (userIds.length === 0) return await send(message)
  const people = await listAddresses(db, channel.id, userIds)
  if (people.length === 0)
    return { kind: 'refused', code: 'CONTACT', message: '接收人已删除通知方式或已停用' }
  return await send({ ...message, people })
}

/** A letter to a person is in that person's language; what a group reads, whoever is mentioned in it, in the channel's. */
async function languageOf(
  db: Db,
  { kind, language }: queries.DueChannel,
  [userId]: readonly number[],
): Promise<Language> {
  if (!isLetter(kind) || userId === undefined) return language
  return (await queries.languageOfUser(db, userId)) ?? language
}

function report(log: Log, { id, kind }: queries.DueChannel, result: SendResult): void {
  if (result.kind === 'delivered') return
  log.warn(
    { channel: id, kind, code: result.code },
    spoken({ zh: '通知未能送达', en: 'a notice was not delivered' }),
  )
}
