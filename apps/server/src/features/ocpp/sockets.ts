/**
 * How a station comes in: `GET /ocpp/<identity>` of HTTP's port, changed to a WebSocket with the subprotocol ocpp1.6 once it
 * has proved who it is.
 *
 * Security profile 1 is a password over plain HTTP, 2 the same over TLS, 3 a certificate of the CA of devices. Without
 * a password (profile 0) nobody comes but from networks that are named for it.
 */
import { type IncomingMessage, type Server, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { TLSSocket } from 'node:tls'
import { maxPayloadBytes } from '@voltkeep/contract/topics/index'
import { WebSocketServer } from 'ws'
import { shownBy } from '../../platform/devices/mqtt/listeners.ts'
import { leaveHttpLimits } from '../../platform/http/limits/index.ts'
import { letGo } from '../../platform/http/turns/index.ts'
import { plainAddress } from '../../platform/process/networks.ts'
import type { DeviceLines } from '../intake/index.ts'
import type { Stations } from './stations.ts'

export const subprotocol = 'ocpp1.6'
const pathPattern = /^\/ocpp\/([^/?#]{1,200})\/?(?:\?.*)?$/
/** Of the standard: what is asked for is not spoken here. */
const wrongProtocol = 1002

export interface SocketNeeds {
  /** Null where this process takes no devices. */
  lines: DeviceLines | null
  stations: Pick<Stations, 'opened'> | null
  isProxy(address: string): boolean
  /** Whether a station may come without TLS. */
  isPlainAllowed: boolean
  failed(error: unknown): void
}

/** Returns what takes no station any more. */
export function mountStations(servers: readonly Server[], needs: SocketNeeds): () => void {
  const { lines, stations, isProxy, isPlainAllowed, failed } = needs
  let isClosed = false
  const sockets = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    maxPayload: maxPayloadBytes,
    handleProtocols: (offered) => offered.has(subprotocol) && subprotocol,
  })

  async function upgrade(request: IncomingMessage, socket: Socket, head: Buffer): Promise<void> {
    leaveHttpLimits(socket)
    const ahead = letGo(socket)
    socket.pause()
    socket.on('error', () => socket.destroy())
    const identity = identityOf(request.url)
    if (identity === null) return end(socket, 404)
    const { address, isEncrypted } = clientOf(request, socket, isProxy)
    const place = lines && stations && !isClosed ? lines.admit(socket, address) : null
    if (!lines || !stations || !place) return end(socket, 503)
    if (!isEncrypted && !isPlainAllowed) return end(socket, 426)
    const login = {
      clientId: identity,
      userName: identity,
      password: passwordOf(request.headers.authorization, identity),
      address,
      certificate: socket instanceof TLSSocket ? shownBy(socket) : null,
    }
    const device = await lines.signIn(login, place)
    if (socket.destroyed) return
    if (device === 'unavailable' || isClosed) return end(socket, 503)
    if (typeof device === 'string') return end(socket, 401)
    sockets.handleUpgrade(request, socket, Buffer.concat([head, ahead]), (opened) => {
      socket.resume()
      if (opened.protocol === subprotocol) stations.opened(opened, device, address)
      else opened.close(wrongProtocol, `${subprotocol} is spoken here`)
    })
  }

  const take = (request: IncomingMessage, socket: Socket, head: Buffer) => {
    upgrade(request, socket, head).catch((error: unknown) => {
      failed(error)
      end(socket, 503)
    })
  }
  for (const server of servers) server.on('upgrade', take)
  return () => {
    isClosed = true
    for (const server of servers) server.off('upgrade', take)
  }
}

function identityOf(url = ''): string | null {
  const [, encoded = ''] = pathPattern.exec(url) ?? []
  try {
    return decodeURIComponent(encoded) || null
  } catch {
    return null
  }
}

/** The client's address, and whether its line is encrypted, as a proxy that is believed says it. */
function clientOf({ headers }: IncomingMessage, socket: Socket, isProxy: (address: string) => boolean) {
  const own = plainAddress(socket.remoteAddress ?? '')
  const isEncrypted = socket instanceof TLSSocket
  if (!isProxy(own)) return { address: own, isEncrypted }
  const listed = String(headers['x-forwarded-for'] ?? '')
    .split(',')
    .map((text) => text.trim())
    .filter((text) => text !== '')
  const address = [own, ...listed.toReversed()].find((one) => !isProxy(one)) ?? listed[0] ?? own
  const [by = ''] = String(headers['x-forwarded-proto'] ?? '').split(',')
  return { address: plainAddress(address), isEncrypted: isEncrypted || /^(https|wss)$/i.test(by.trim()) }
}

/** Bytes of a key that is set as hexadecimal digits; some stations send these, some the digits. */
const rawKeyBytes = 20
const hexKey = /^[0-9A-F]{40}$/i

/**
 * The password as the server has it; null without one. An identity may have a colon in it, so the user's name is cut off
 * by the identity.
 */
export function passwordOf(header: string | undefined, identity: string): Buffer | null {
  if (header === undefined) return null
  const [, encoded = ''] = /^Basic\s+([A-Za-z0-9+/=_-]{1,1024})\s*$/i.exec(header) ?? []
  const decoded = Buffer.from(encoded, 'base64')
  const user = Buffer.from(`${identity}:`)
  if (!decoded.subarray(0, user.length).equals(user)) return Buffer.alloc(0)
  const password = decoded.subarray(user.length)
  if (password.length === rawKeyBytes) return Buffer.from(password.toString('hex'))
  const text = password.toString('latin1')
  return hexKey.test(text) ? Buffer.from(text.toLowerCase()) : password
}

function end(socket: Socket, code: 401 | 404 | 426 | 503): void {
  if (socket.destroyed) return
  const lines = [
    `HTTP/1.1 ${code} ${STATUS_CODES[code]}`,
    ...(code === 401 ? ['WWW-Authenticate: Basic realm="ocpp"'] : []),
    ...(code === 426 ? ['Upgrade: TLS/1.2'] : []),
    'Connection: close',
    'Content-Length: 0',
  ]
  socket.end(`${lines.join('\r\n')}\r\n\r\n`)
  socket.resume()
  setTimeout(() => socket.destroy(), 1_000).unref()
}
