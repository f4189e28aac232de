// How the operator sees the limits of connections to the embedded broker: metrics, the log, and a warning before the last.
import { Counter, Gauge, type Registry } from 'prom-client'
import type { Broker } from '../../../platform/devices/mqtt/broker.ts'
import type { ConnectionLimit, ConnectionLimits } from '../../../platform/devices/mqtt/connection-limiter.ts'
import { createComplaints } from '../../../platform/process/complaints.ts'
import type { Log } from '../../../platform/process/log.ts'
import { type Sentence, spoken } from '../../../platform/process/sentences.ts'
import { nearlyFull, type Warnings } from '../../../platform/process/warnings.ts'

interface LimitsNeeds {
  limits: ConnectionLimits
  metrics: Registry
  log: Log
}

/** Counts each connection that was turned away, and logs it with its address. */
export function observeLimits({ limits, metrics, log }: LimitsNeeds) {
  const turnedAway = new Counter({
    name: 'voltkeep_intake_connections_refused_total',
    help: 'Connections to the embedded broker that were turned away or ended, by the limit that was met',
    labelNames: ['limit'],
    registers: [metrics],
  })
  const mostConnections = new Gauge({
    name: 'voltkeep_intake_connection_limits',
    help: 'The most connections to the embedded broker, by limit',
    labelNames: ['limit'],
    registers: [metrics],
  })
  for (const [limit, most] of Object.entries(limits)) if (most !== null) mostConnections.set({ limit }, most)
  const complain = complaintsOf(limits, log)
  return (limit: ConnectionLimit, address: string): void => {
    turnedAway.inc({ limit })
    complain[limit](address)
  }
}

function complaintsOf(limits: ConnectionLimits, log: Log) {
  const saying = (sentence: Sentence) =>
    createComplaints((address, count) => log.warn({ address, count }, spoken(sentence)))
  return {
    inAll: saying({
      zh: `设备接入的连接已达上限 ${limits.inAll} 个，新的连接被断开`,
      en: `the connections of devices are at their limit of ${limits.inAll}, new ones are closed`,
    }),
    strangers: saying({
      zh: `尚未登录的设备连接已达上限 ${limits.strangers} 个，最久未登录的被断开`,
      en: `the device connections that have not signed in are at their limit of ${limits.strangers}, the oldest are closed`,
    }),
    strangersPerAddress: saying({
      zh: `同一地址尚未登录的设备连接已达上限 ${limits.strangersPerAddress} 个，最久未登录的被断开`,
      en: `the connections of one address that have not signed in are at their limit of ${limits.strangersPerAddress}, the oldest are closed`,
    }),
    perAddress: saying({
      zh: `同一地址在线的设备已达上限 ${limits.perAddress} 台，新的登录被拒绝`,
      en: `the signed-in devices of one address are at their limit of ${limits.perAddress}, new sign-ins are refused`,
    }),
  }
}

/** Shows how many connections there are, and warns before there are too many. */
export function observeConnections(
  broker: Pick<Broker, 'connectionCount' | 'openCount'>,
  { limits, metrics, log, warnings }: LimitsNeeds & { warnings: Warnings },
): void {
  new Gauge({
    name: 'voltkeep_intake_connections',
    help: 'Devices connected to the embedded broker',
    registers: [metrics],
    collect() {
      this.set(broker.connectionCount)
    },
  })
  new Gauge({
    name: 'voltkeep_intake_open_connections',
    help: 'Connections to the embedded broker, also those that have not signed in',
    registers: [metrics],
    collect() {
      this.set(broker.openCount)
    },
  })
  warnings.add(
    nearlyFull({
      count: () => broker.openCount,
      most: limits.inAll,
      line: (share) => ({
        zh: `设备接入的连接已达上限 ${limits.inAll} 个的 ${share}%，满后新的设备无法接入：请提高可打开的文件数（LimitNOFILE）或 MQTT_MAX_CONNECTIONS`,
        en: `the connections of devices are at ${share}% of their limit of ${limits.inAll}; beyond it no new device connects: raise the number of open files (LimitNOFILE) or MQTT_MAX_CONNECTIONS`,
      }),
      log,
    }),
  )
}
