// A charging station as the library ocpp-rpc plays it, with the official schemas switched on: every answer of the server is
// checked by code that is not ours.
import { setTimeout as delay } from 'node:timers/promises'
import { RPCClient } from 'ocpp-rpc'
import type { TestDevice } from './factories.ts'

type Answer = object | ((params: Record<string, unknown>) => object)

export interface StationOptions {
  url: string
  device: Pick<TestDevice, 'code' | 'secret'>
  /** By default the device's code. */
  identity?: string
  /** By default the device's secret; null for none. */
  password?: string | Buffer | null
  headers?: Record<string, string>
  wsOpts?: object
  /** How calls are answered from the first moment on. */
  answers?: Readonly<Record<string, Answer>>
}

export interface Station {
  client: RPCClient
  /** What the server has asked, oldest first. */
  asked: { action: string; params: Record<string, unknown> }[]
  /** How a call of the server is answered; a function, or what it returns. */
  answers(action: string, answer: Answer): void
  call(action: string, params: object): Promise<Record<string, unknown>>
  boot(firmwareVersion?: string): Promise<Record<string, unknown>>
  close(): Promise<void>
}

export const bootOf = (firmwareVersion = '1.3') => ({
  chargePointVendor: 'Acme',
  chargePointModel: 'Pillar 7',
  chargePointSerialNumber: 'SN-1',
  firmwareVersion,
  iccid: '89860012345678901234',
  imsi: '460001234567890',
})

export async function connectStation({
  url,
  device,
  identity = device.code,
  password = device.secret,
  headers = {},
  wsOpts = {},
  answers: first = {},
}: StationOptions): Promise<Station> {
  const client = new RPCClient({
    endpoint: `${url.replace(/^http/, 'ws')}/ocpp`,
    identity,
    protocols: ['ocpp1.6'],
    strictMode: true,
    reconnect: false,
    headers,
    wsOpts,
    ...(password !== null && { password }),
  } as ConstructorParameters<typeof RPCClient>[0])
  const asked: Station['asked'] = []
  const answers = new Map<string, Answer>([
    ['GetConfiguration', { configurationKey: [] }],
    ['TriggerMessage', { status: 'Accepted' }],
    ...Object.entries(first),
  ])
  const usual = client as unknown as {
    handle(handler: (call: { method: string; params: Record<string, unknown> }) => object): void
    call(action: string, params: object): Promise<Record<string, unknown>>
    on(event: string, listener: () => void): void
  }
  usual.handle(({ method, params }) => {
    asked.push({ action: method, params })
    const answer = answers.get(method)
    if (answer === undefined) throw new Error(`no answer to ${method}`)
    return typeof answer === 'function' ? (answer as (given: object) => object)(params) : answer
  })
  usual.on('error', () => {})
  await client.connect()
  return {
    client,
    asked,
    answers: (action, answer) => void answers.set(action, answer),
    call: (action, params) => usual.call(action, params),
    boot: (firmwareVersion) => usual.call('BootNotification', bootOf(firmwareVersion)),
    close: async () => {
      await client.close({ code: 1000, reason: '' }).catch(() => {})
    },
  }
}

/** Waits until a condition holds, which is read again and again. */
export async function until<T>(
  read: () => Promise<T | null | undefined | false> | T | null | undefined | false,
): Promise<T> {
  for (const endMs = Date.now() + 30_000; Date.now() < endMs; ) {
    const value = await read()
    if (value) return value
    await delay(25)
  }
  throw new Error('it never comes true')
}
