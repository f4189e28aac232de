// Letters: what other features have to say by mail, sent by the same queue as notices of alarms, with the same record.
import { describeStop } from '@voltkeep/contract'
import type { DataScope } from '../../../domain/access/data-scope.ts'
import { type Decider, type Standing, standingScope } from '../../../domain/access/deciders.ts'
import type { PlaceFilters } from '../../../domain/access/reaches.ts'
import type { Actor } from '../../../platform/calls/actor.ts'
import type { Db, Trx } from '../../../platform/database/database.ts'
import { statementsOf } from '../../../platform/database/statements.ts'
import { wake } from '../../../platform/database/work/lease-queue.ts'
import { channelTable } from '../outbox/waking.ts'
import { addressSetterOf, mayChangeWhatIsTold } from '../rules/rule-decider.ts'
import type { NoticeMessage } from '../senders/message.ts'
import * as queries from './letters.queries.ts'

export type Letters = ReturnType<typeof createLetters>

export interface Letter {
  channelId: number
  /** What it is one of, and of which time: a series has one letter for each. */
  series: string
  period: string
  /** What the record shows as the reason of the message. */
  source: string
  title: string
  text: string
  file: { name: string; content: Buffer } | null
  decision: Decision
}

/** Whose decision a letter carries, and what it may be about. */
export interface Decision {
  /** Who reads it in the record of messages. */
  owners: readonly Decider[]
  deciders: readonly Decider[]
  scope: DataScope
}

export function createLetters() {
  return {
    nameMailChannels: (db: Db, actor: Actor) => queries.nameMailChannels(db, actor),

    /** A mail channel of the actor's organizations, kept from being deleted until the transaction ends. */
    lockMailChannel: (trx: Trx, actor: Actor, id: number) => queries.lockMailChannel(trx, actor, id),

    /**
     * What a letter through the channel may be about by the decisions of these people and of the user who set its
     * receivers; or why there is none.
     */
    async decide(
      db: Db,
      channelId: number,
      owners: readonly Decider[],
    ): Promise<{ decision: Decision; problem: null } | { decision: null; problem: string }> {
      const mailing = await queries.readMailing(db, channelId)
      if (!mailing?.isEnabled) return { decision: null, problem: '通知渠道已停用' }
      const all = [...owners, addressSetterOf(mailing)]
      const standing = await standingScope(db, all)
      return standing.scope
        ? { decision: { owners, deciders: all, scope: standing.scope }, problem: null }
        : { decision: null, problem: describeStop(standing.stopped) }
    },

    /** Who stops it that letters of these people go through the channel; null: nobody. */
    async stopOf(db: Db, channelId: number, owners: readonly Decider[]): Promise<Standing['stopped']> {
      const mailing = await queries.readMailing(db, channelId)
      return (await standingScope(db, mailing ? [...owners, addressSetterOf(mailing)] : owners)).stopped
    },

    /** Whether the user may change or take away what this user's letters tell. */
    mayChange: (db: Db, userId: number, owner: Decider, filter: PlaceFilters) =>
      mayChangeWhatIsTold(db, userId, owner, { filter }),

    has: (db: Db, series: string, period: string) => queries.hasLetter(db, series, period),

    /** Has the letter sent once the transaction is committed. A second one of its period fails. */
    async post(trx: Trx, { title, text, decision, ...letter }: Letter): Promise<void> {
      const message: Omit<NoticeMessage, 'raisedByLevel'> & { raisedByLevel: [] } = {
        id: '',
        entries: [],
        raisedByLevel: [],
        recovered: 0,
        escalated: 0,
        offline: 0,
        online: 0,
        tasks: 0,
        link: '',
        letter: { title, text },
      }
      await queries.insertLetter(trx, { ...letter, ...decision, title, message })
      await queries.scheduleChannel(trx, letter.channelId)
      await statementsOf(trx).query(wake(channelTable, 0))
    },

    /** What is not sent yet is not sent any more. */
    withdraw: (trx: Trx, series: string, reason: string) => queries.giveUpSeries(trx, series, reason),
  }
}
