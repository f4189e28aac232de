import { Counter, Gauge, type Registry } from 'prom-client'
import { createComplaints } from '../../platform/process/complaints.ts'
import type { Log } from '../../platform/process/log.ts'
import { type Sentence, spoken } from '../../platform/process/sentences.ts'
import type { Attempts, TurnedAway } from './attempts.service.ts'

const reasons: Record<TurnedAway, Sentence> = {
  pair: {
    zh: '同一登录名和地址登录失败过多，15 分钟内不再校验',
    en: 'too many failed sign-ins with one name from one address, none is looked at for 15 minutes',
  },
  address: {
    zh: '同一地址登录失败过多，15 分钟内不再校验（SIGN_IN_ADDRESS_LIMIT）',
    en: 'too many failed sign-ins from one address, none is looked at for 15 minutes (SIGN_IN_ADDRESS_LIMIT)',
  },
  slowed: {
    zh: '该登录名被多个地址尝试登录，陌生浏览器的登录已限速',
    en: 'many addresses try one name, its sign-ins from unknown browsers are slowed down',
  },
  busy: {
    zh: '同时登录的请求过多，已拒绝一部分',
    en: 'too many sign-ins at once, some are refused',
  },
}

/** Counts sign-ins that are turned away, and says in the log why: at once, then every few seconds at most. */
export function reportTurnedAway({ log, metrics }: { log: Log; metrics: Registry }) {
  const counter = new Counter({
    name: 'voltkeep_sign_ins_turned_away_total',
    help: 'Sign-ins refused before their password was looked at, by the limit that they met',
    labelNames: ['limit'],
    registers: [metrics],
  })
  const said = Object.fromEntries(
    Object.entries(reasons).map(([reason, { zh, en }]) => [
      reason,
      createComplaints((key, count) =>
        log.warn(
          { ...(key as object), count },
          spoken({ zh: `登录被拒绝：${zh}`, en: `a sign-in was refused: ${en}` }),
        ),
      ),
    ]),
  )
  return (reason: TurnedAway, { name, address }: { name: string; address: string }): void => {
    counter.inc({ limit: reason })
    said[reason]?.({ name, address: address.trim() })
  }
}

/** How many sign-ins are under way, and how many may be. */
export function measureRoom({ room }: Pick<Attempts, 'room'>, metrics: Registry): void {
  new Gauge({
    name: 'voltkeep_sign_ins_under_way',
    help: 'Sign-ins with a name and a password that are being checked or wait for it',
    registers: [metrics],
    collect() {
      this.set(room.count)
    },
  })
  new Gauge({
    name: 'voltkeep_sign_ins_limit',
    help: 'The most sign-ins under way in this process',
    registers: [metrics],
  }).set(room.most)
}
