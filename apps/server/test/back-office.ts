// The platform that stations come from, as the library ocpp-rpc plays it, with the official schemas switched on.
import { once } from 'node:events'
import { createServer } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { TLSSocket, TlsOptions } from 'node:tls'
import { createRPCError, RPCServer } from 'ocpp-rpc'

type Params = Record<string, unknown>
type Answer = object | ((params: Params) => object | Promise<object>)

export interface BackOfficeStation {
  identity: string
  call(action: string, params: object): Promise<Params>
  close(options: object): Promise<void>
}

export interface TestBackOffice {
  url: string
  port: number
  /** What stations have said, oldest first. */
  said: { identity: string; action: string; params: Params }[]
  /** Passwords that stations have shown, by identity. */
  passwords: Map<string, string>
  /** Names in the certificates that stations have shown, by identity. */
  certificates: Map<string, string>
  /** Connected now. */
  stations: Map<string, BackOfficeStation>
  /** How a call of a station is answered. */
  answers(action: string, answer: Answer): void
  close(): Promise<void>
}

const usual = (): Map<string, Answer> =>
  new Map<string, Answer>([
    ['BootNotification', () => ({ status: 'Accepted', interval: 77, currentTime: new Date().toISOString() })],
    ['Heartbeat', () => ({ currentTime: '2031-01-01T00:00:00.000Z' })],
    ['StatusNotification', {}],
    ['MeterValues', {}],
    ['Authorize', { idTagInfo: { status: 'Accepted' } }],
    ['StartTransaction', { transactionId: 7_000_001, idTagInfo: { status: 'Accepted' } }],
    ['StopTransaction', { idTagInfo: { status: 'Accepted' } }],
    ['DataTransfer', { status: 'Accepted', data: 'theirs' }],
    ['FirmwareStatusNotification', {}],
  ])

/** `port`: where it was before. `tls`: by wss alone. */
export async function startBackOffice({
  port = 0,
  tls,
}: {
  port?: number
  tls?: TlsOptions
} = {}): Promise<TestBackOffice> {
  const said: TestBackOffice['said'] = []
  const answers = usual()
  const stations: TestBackOffice['stations'] = new Map()
  const passwords: TestBackOffice['passwords'] = new Map()
  const certificates: TestBackOffice['certificates'] = new Map()
  const server = new RPCServer({ protocols: ['ocpp1.6'], strictMode: true })
  server.auth((accept, _reject, handshake) => {
    const { identity, password, request } = handshake as unknown as {
      identity: string
      password?: Buffer
      request: { socket: Partial<TLSSocket> }
    }
    const shown = request.socket.getPeerCertificate?.().subject?.CN
    if (typeof shown === 'string') certificates.set(identity, shown)
    if (password) passwords.set(identity, password.toString())
    accept()
  })
  server.on('client', (client) => {
    const station = client as unknown as BackOfficeStation & {
      handle(handler: (call: { method: string; params: Params }) => unknown): void
      on(event: string, listener: () => void): void
    }
    stations.set(station.identity, station)
    station.on('close', () => {
      if (stations.get(station.identity) === station) stations.delete(station.identity)
    })
    station.handle(({ method, params }) => {
      said.push({ identity: station.identity, action: method, params })
      const answer = answers.get(method)
      if (answer === undefined) throw createRPCError('NotImplemented')
      return typeof answer === 'function' ? (answer as (given: Params) => object)(params) : answer
    })
  })
  const http = tls ? createTlsServer(tls) : createServer()
  http.on('upgrade', server.handleUpgrade)
  http.listen(port, '127.0.0.1')
  await once(http, 'listening')
  const listening = (http.address() as AddressInfo).port
  return {
    url: `${tls ? 'wss://localhost' : 'ws://127.0.0.1'}:${listening}/central/ocpp`,
    port: listening,
    said,
    passwords,
    certificates,
    stations,
    answers: (action, answer) => void answers.set(action, answer),
    async close() {
      await server.close({ code: 1001, reason: '', force: true } as never)
      http.closeAllConnections()
      await new Promise((resolve) => http.close(resolve))
    },
  }
}
