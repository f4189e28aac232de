// How many connections browsers and devices may have to the API: in all, and from one address.

import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { Counter, Gauge, type Registry } from 'prom-client'
import { createComplaints } from '../../process/complaints.ts'
import type { Log } from '../../process/log.ts'
import { amongNetworks, networkOf, plainAddress } from '../../process/networks.ts'
import { spoken } from '../../process/sentences.ts'
import { nearlyFull, type Warnings } from '../../process/warnings.ts'

export interface HttpConnectionsOptions {
  inAll: number
  perAddress: number
  /** Any number of clients are behind them: the limit by address does not apply to their connections. */
  trustedProxies: readonly string[]
  log: Log
  metrics: Registry
  warnings: Warnings
}

/** How a connection leaves the count, by its two ends: the socket of TLS is another one than was accepted. */
const counted = new Map<string, () => void>()
const endsOf = ({ remoteAddress, remotePort, localPort }: Socket) =>
  [remoteAddress, remotePort, localPort].join(' ')

/** The connection speaks HTTP no more: it is counted among another kind from now on. */
export const leaveHttpLimits = (socket: Socket): void => counted.get(endsOf(socket))?.()

/**
 * Closes each connection over a limit as soon as it is accepted; the connections of all servers are counted together.
 */
export function limitHttpConnections(
  servers: readonly Server[],
  { inAll, perAddress, trustedProxies, log, metrics, warnings }: HttpConnectionsOptions,
): void {
  const isProxy = amongNetworks(trustedProxies)
  const open = new Map<string, number>()
  let count = 0
  const refused = new Counter({
    name: 'voltkeep_http_connections_refused_total',
    help: 'Connections to the API that were ended at once, by the limit that was met',
    labelNames: ['limit'],
    registers: [metrics],
  })
  new Gauge({
    name: 'voltkeep_http_connections',
    help: 'Open connections to the API',
    registers: [metrics],
    collect() {
      this.set(count)
    },
  })
  const limits = new Gauge({
    name: 'voltkeep_http_connection_limits',
    help: 'The most connections to the API: in all, and from one address',
    labelNames: ['limit'],
    registers: [metrics],
  })
  limits.set({ limit: 'inAll' }, inAll)
  limits.set({ limit: 'perAddress' }, perAddress)
  const complain = createComplaints((address, times) =>
    log.warn(
      { address, count: times },
      spoken({
        zh: `网页和接口的连接超出上限（共 ${inAll} 个，每个地址 ${perAddress} 个），多余的已断开`,
        en: `more connections to pages and API than there may be (${inAll} in all, ${perAddress} for an address) were closed`,
      }),
    ),
  )
  const refuse = (socket: Socket, limit: 'inAll' | 'perAddress', address: string) => {
    refused.inc({ limit })
    complain(address)
    socket.destroy()
  }
  warnings.add(
    nearlyFull({
      count: () => count,
      most: inAll,
      line: (share) => ({
        zh: `网页和接口的连接已达上限 ${inAll} 个的 ${share}%，满后新的访问会被断开（HTTP_MAX_CONNECTIONS）`,
        en: `the connections to pages and API are at ${share}% of their limit of ${inAll}; beyond it new ones are closed (HTTP_MAX_CONNECTIONS)`,
      }),
      log,
    }),
  )

  // Before HTTP's own listener, which would make a parser for the connection.
  const accepted = (socket: Socket) => {
    const address = plainAddress(socket.remoteAddress ?? '')
    const from = networkOf(address)
    const ofAddress = open.get(from) ?? 0
    if (count >= inAll) return refuse(socket, 'inAll', address)
    if (ofAddress >= perAddress && !isProxy(address)) return refuse(socket, 'perAddress', address)
    count += 1
    open.set(from, ofAddress + 1)
    const ends = endsOf(socket)
    let isCounted = true
    const leave = () => {
      if (counted.get(ends) === leave) counted.delete(ends)
      if (!isCounted) return
      isCounted = false
      count -= 1
      const left = (open.get(from) ?? 1) - 1
      if (left === 0) open.delete(from)
      else open.set(from, left)
    }
    counted.set(ends, leave)
    socket.once('close', leave)
  }
  for (const server of servers) server.prependListener('connection', accepted)
}
