/**
 * Makes the mails that are due. A mail is made while its subscription is locked as it was read, and stands in the outbox
 * of notices once for each period, so that two processes, or one that is killed in between, make no second one.
 */
import type { AvailabilityGroup } from '@voltkeep/contract'
import type { Db } from '../../../platform/database/database.ts'
import type { Job } from '../../../platform/database/jobs/jobs.ts'
import { sharedNow } from '../../../platform/process/clocks/shared-clock.ts'
import { speaking } from '../../../platform/process/language/speech.ts'
import type { Log } from '../../../platform/process/log.ts'
import { spoken } from '../../../platform/process/sentences.ts'
import type { Decision, Letters } from '../../notifications/index.ts'
import type { Availability } from '../availability/availability.service.ts'
import type { Quality } from '../quality/quality.service.ts'
import { availabilityLetter, type LetterHead, qualityLetter, type ReportLetter } from './report-letter.ts'
import { type Issue, issuesAround } from './schedule.rules.ts'
import { ownersOf } from './subscriptions.deciders.ts'
import * as queries from './subscriptions.queries.ts'

const lookMs = 60_000
/** After a mail that could not be made. */
const againMs = 600_000
const dueAtOnce = 50

export interface MailingNeeds {
  db: Db
  zone: string
  log: Log
  letters: Letters
  quality: Pick<Quality, 'readWithin'>
  availability: Pick<Availability, 'readWithin'>
  consoleUrl: () => string
  now?: () => Date
}

export function createMailingJob(needs: MailingNeeds): Job {
  const { db, log, now = sharedNow } = needs
  return {
    name: 'reports.mail',
    everyMs: lookMs,
    async run(signal) {
      let due: queries.Subscription[]
      do {
        due = await queries.listDue(db, now(), dueAtOnce)
        for (const subscription of due) {
          if (signal.aborted) return
          const at = now()
          const { newest, next } = issuesAround(subscription, at)
          const outcome = await make(needs, subscription, newest).then(
            (problem) => ({ nextAt: next.at, problem }),
            (err: unknown) => {
              log.warn(
                { err, subscription: subscription.id },
                spoken({
                  zh: '订阅的报表未能生成，稍后重试',
                  en: 'a report of a subscription could not be made and is tried again later',
                }),
              )
              return { nextAt: new Date(at.getTime() + againMs), problem: '报表未能生成，稍后重试' }
            },
          )
          await queries.writeOutcome(db, subscription, outcome)
        }
      } while (due.length === dueAtOnce)
    },
  }
}

/** Puts the mail of the issue into the outbox, if there is none of it yet; returns why it may not. */
async function make(
  needs: MailingNeeds,
  subscription: queries.Subscription,
  issue: Issue,
): Promise<string | null> {
  const { db, letters } = needs
  const { id, every, channelId, name } = subscription
  const series = queries.seriesOf(id)
  const period = `${every} ${issue.startDay}`
  if (await letters.has(db, series, period)) return null
  const { decision, problem } = await letters.decide(db, channelId, ownersOf(subscription))
  if (!decision) return problem
  const language = await queries.languageOf(db, subscription.decidedBy)
  const letter = await speaking(language, () => write(needs, subscription, issue, decision))
  await db.transaction().execute(async (trx) => {
    if (!(await queries.lockUnchanged(trx, subscription))) return
    if (await letters.has(trx, series, period)) return
    await letters.post(trx, { ...letter, channelId, series, period, source: name, decision })
  })
  return null
}

async function write(
  { quality, availability, zone, consoleUrl }: MailingNeeds,
  { kind, groupBy, filter, name, decidedByName }: queries.Subscription,
  { startDay, endDay }: Issue,
  { scope }: Decision,
): Promise<ReportLetter> {
  const range = { startTime: startDay, endTime: endDay }
  const search = new URLSearchParams({ tab: kind, groupBy, ...filterTexts(filter), ...range })
  const link = `${consoleUrl()}/maintenance/report?${search}`
  const head: LetterHead = { startDay, endDay, zone, link, name, ownerName: decidedByName }
  if (kind === 'alarm')
    return await qualityLetter(
      head,
      await quality.readWithin(scope, { ...filter, ...range, groupBy }),
      groupBy,
    )
  const group = groupBy as AvailabilityGroup
  const report = await availability.readWithin(scope, { ...filter, ...range, groupBy: group })
  return await availabilityLetter(head, report, group)
}

const filterTexts = (filter: queries.PlacesWanted): Record<string, string> =>
  Object.fromEntries(
    Object.entries(filter).flatMap(([key, value]) => (value == null ? [] : [[key, String(value)]])),
  )
