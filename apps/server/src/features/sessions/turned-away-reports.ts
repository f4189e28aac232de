import { Counter, Gauge, type Registry } from 'prom-client'
import { createComplaints } from '../../platform/process/complaints.ts'
import type { Log } from '../../platform/process/log.ts'
import type { Attempts, TurnedAway } from './attempts.service.ts'

const words: Record<TurnedAway, string> = {
  pair: '同一登录名和地址登录失败过多，15 分钟内不再校验',
  address: '同一地址登录失败过多，15 分钟内不再校验（SIGN_IN_ADDRESS_LIMIT）',
  slowed: '该登录名被多个地址尝试登录，陌生浏览器的登录已限速',
  busy: '同时登录的请求过多，已拒绝一部分',
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
    Object.entries(words).map(([reason, text]) => [
      reason,
      createComplaints((key, count) => log.warn({ ...(key as object), count }, `登录被拒绝：${text}`)),
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
