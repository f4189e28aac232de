// The ports of the embedded broker: plain and TLS, behind a TCP proxy or not. The broker gets from here a connection
// that speaks MQTT, the address of its client and the client's certificate.

import type { X509Certificate } from 'node:crypto'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { createServer as createTlsServer, type TLSSocket, type Server as TlsServer } from 'node:tls'
import type { Log } from '../../process/log.ts'
import { amongNetworks, plainAddress } from '../../process/networks.ts'
import { spoken } from '../../process/sentences.ts'
import type { Tls } from '../../process/tls/tls.ts'
import type { OpenConnection } from './connection-limiter.ts'
import { deviceBacklog, deviceSockets, type EarlyArrivals } from './early-arrivals.ts'
import { receiveProxyHeader } from './proxy-protocol.ts'

export interface ListenersOptions {
  host: string
  /** Null: no plain port. */
  port: number | null
  /** Null or left out: no TLS. */
  secure?: { port: number; tls: Tls } | null
  /** Addresses and networks of TCP proxies, which must begin each connection with a PROXY header; others must not. */
  proxyHeaderFrom?: readonly string[]
  /** Ports that are open already, and who has come meanwhile. */
  early?: EarlyArrivals | null
  log: Log
  /** A connection has come from this client: null ends it. Asked before TLS costs anything. */
  admit(socket: Socket, address: string): OpenConnection | null
  accept(socket: Socket, client: ConnectedClient): void
}

/** What is known of a client before it says anything. */
export interface ConnectedClient {
  address: string
  /** The certificate that it has shown by TLS; null where it has shown none or was not asked for one. */
  certificate: ShownCertificate | null
  /** Its place in the limits of connections. */
  line: OpenConnection
}

/** `problem` is OpenSSL's name of it, such as `CERT_REVOKED`; null where the certificate is valid. */
export interface ShownCertificate {
  certificate: X509Certificate
  problem: string | null
}

export interface BrokerPorts {
  port: number | null
  securePort: number | null
}

export interface Listeners {
  listen(): Promise<BrokerPorts>
  /** Accepts no connection any more. */
  stop(): void
}

/** Connections that came early are served so many a turn of the event loop, with all others in between. */
const earlyAtOnce = 32
const headerLimitMs = 5_000
const handshakeLimitMs = 10_000

export function createListeners(options: ListenersOptions): Listeners {
  const { host, secure = null, log } = options
  let isStopped = false
  const sendsHeader = amongNetworks(options.proxyHeaderFrom ?? [])
  const plain =
    options.port === null
      ? null
      : serverFor((socket, line) =>
          options.accept(socket, { address: line.address, certificate: null, line }),
        )
  const handshakes = secure && handshakesFor(secure.tls)
  const encrypted = handshakes && serverFor(handshakes)

  /** A server that calls back with each connection when the address of its client is known. */
  function serverFor(known: (socket: Socket, line: OpenConnection) => void): Server {
    return createServer(deviceSockets, (socket) => {
      const address = plainAddress(socket.remoteAddress ?? '')
      const go = (client: string) => {
        const line = options.admit(socket, client)
        if (line) known(socket, line)
        else socket.destroy()
      }
      if (!sendsHeader(address)) {
        go(address)
        return
      }
      receiveProxyHeader(socket, {
        timeLimitMs: headerLimitMs,
        received: (client) => go(client ?? address),
      })
    })
  }

  /** The TLS server does not listen: it is given connections whose PROXY header has been read. */
  function handshakesFor(tls: Tls): (socket: Socket, line: OpenConnection) => void {
    const underWay = new Map<string, OpenConnection>()
    const server: TlsServer = createTlsServer(
      {
        ...tls.current.device,
        highWaterMark: deviceSockets.highWaterMark,
        handshakeTimeout: handshakeLimitMs,
        requestCert: tls.current.hasClientCa,
        // A device without a certificate has its secret; an invalid certificate is refused at the sign-in.
        rejectUnauthorized: false,
      },
      (socket) => {
        const line = underWay.get(endsOf(socket))
        if (line) options.accept(socket, { address: line.address, certificate: shownBy(socket), line })
        else socket.destroy()
      },
    )
    server.on('tlsClientError', (err, socket) => {
      tls.handshakeFailed('mqtt')
      log.debug(
        { err, address: underWay.get(endsOf(socket))?.address },
        spoken({ zh: '设备的 TLS 握手失败', en: 'the TLS handshake of a device has failed' }),
      )
      // Node does not end a connection whose handshake takes too long.
      socket.destroy()
    })
    // A new context has new keys for tickets: no session of the former one is resumed, so every certificate is checked.
    tls.onChange(({ device }) => server.setSecureContext(device))
    return (socket, line) => {
      const ends = endsOf(socket)
      underWay.set(ends, line)
      socket.once('close', () => underWay.delete(ends))
      server.emit('connection', socket)
    }
  }

  return {
    async listen() {
      return {
        port: plain && (await open(plain, options.port ?? 0)),
        securePort: encrypted && (await open(encrypted, secure?.port ?? 0)),
      }
    },
    stop() {
      isStopped = true
      for (const server of [plain, encrypted]) if (server?.listening) server.close()
    },
  }

  function open(server: Server, port: number): Promise<number> {
    return new Promise((resolve, reject) => {
      const opened = () => resolve((server.address() as AddressInfo).port)
      server.once('error', reject)
      const early = options.early?.take(port)
      if (early) {
        server.listen(early.server, opened)
        serveEarly(server, early.sockets)
      } else {
        server.listen({ host, port, backlog: deviceBacklog }, opened)
      }
    })
  }

  function serveEarly(server: Server, sockets: Socket[]): void {
    for (const socket of sockets.splice(0, isStopped ? sockets.length : earlyAtOnce)) {
      if (isStopped) socket.destroy()
      else server.emit('connection', socket)
    }
    if (sockets.length > 0) setImmediate(serveEarly, server, sockets)
  }
}

export function shownBy(socket: TLSSocket): ShownCertificate | null {
  const certificate = socket.getPeerX509Certificate()
  if (!certificate) return null
  // Its declared type is Error; Node gives the name.
  const problem = socket.authorized ? null : String(socket.authorizationError ?? 'UNKNOWN')
  return { certificate, problem }
}

/** Tells one connection from all others that are open. */
const endsOf = ({ remoteAddress, remotePort, localAddress, localPort }: Socket) =>
  [remoteAddress, remotePort, localAddress, localPort].join(' ')
