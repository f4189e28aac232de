// The header by which a TCP proxy tells the address of its client (PROXY protocol, versions 1 and 2).

import { isIPv4, isIPv6, type Socket } from 'node:net'

export type ProxyHeader =
  /** `address` is null where the proxy connects for itself or does not say. */
  { kind: 'complete'; address: string | null; length: number } | { kind: 'incomplete' } | { kind: 'invalid' }

const incomplete: ProxyHeader = { kind: 'incomplete' }
const invalid: ProxyHeader = { kind: 'invalid' }

/** `PROXY UNKNOWN` with two IPv6 addresses and two ports is the longest that there is. */
const longestText = 107
const signature = Buffer.from('\r\n\r\n\0\r\nQUIT\n', 'latin1')
const fixedBytes = 16
/** Addresses and what else a proxy tells (TLVs), which is not used. */
const longestBinary = 2_048
export const longestHeader = fixedBytes + longestBinary

/** Reads the header that these bytes begin with. */
export function readProxyHeader(bytes: Buffer): ProxyHeader {
  const isBinary = bytes[0] === signature[0]
  return isBinary ? readBinary(bytes) : readText(bytes)
}

function readText(bytes: Buffer): ProxyHeader {
  const beginning = 'PROXY '
  const text = bytes.toString('latin1', 0, longestText)
  if (!text.startsWith(beginning.slice(0, text.length))) return invalid
  const end = text.indexOf('\r\n')
  if (end < 0) return bytes.length >= longestText ? invalid : incomplete
  const length = end + 2
  const [, family, ...rest] = text.slice(0, end).split(' ')
  if (family === 'UNKNOWN') return { kind: 'complete', address: null, length }
  const [source = '', destination = '', sourcePort = '', destinationPort = '', ...more] = rest
  const isAddress = family === 'TCP4' ? isIPv4 : family === 'TCP6' ? isIPv6 : () => false
  const isWhole = more.length === 0 && isPort(sourcePort) && isPort(destinationPort)
  if (!isWhole || !isAddress(source) || !isAddress(destination)) return invalid
  return { kind: 'complete', address: source, length }
}

const isPort = (text: string) => /^\d{1,5}$/.test(text) && Number(text) <= 65_535

function readBinary(bytes: Buffer): ProxyHeader {
  const known = Math.min(bytes.length, signature.length)
  if (!bytes.subarray(0, known).equals(signature.subarray(0, known))) return invalid
  if (bytes.length < fixedBytes) return incomplete
  const command = bytes.readUInt8(12)
  const family = bytes.readUInt8(13)
  const following = bytes.readUInt16BE(14)
  if (command !== 0x20 && command !== 0x21) return invalid
  if (following > longestBinary) return invalid
  const length = fixedBytes + following
  if (bytes.length < length) return incomplete
  // LOCAL: a health check of the proxy.
  if (command === 0x20) return { kind: 'complete', address: null, length }
  const place = bytes.subarray(fixedBytes, length)
  if (family === 0x11) {
    return place.length < 12 ? invalid : { kind: 'complete', address: place.subarray(0, 4).join('.'), length }
  }
  if (family === 0x21) {
    return place.length < 36 ? invalid : { kind: 'complete', address: addressOf6(place), length }
  }
  return { kind: 'complete', address: null, length }
}

function addressOf6(place: Buffer): string {
  const groups = Array.from({ length: 8 }, (_, at) => place.readUInt16BE(at * 2).toString(16))
  // As the sockets of this process write it: shortened.
  return new URL(`http://[${groups.join(':')}]`).hostname.slice(1, -1)
}

/**
 * Takes the header off a new connection and calls `received` with the address in it, null where it has none. What
 * follows the header stays to be read. A connection without a header is destroyed, and so is one whose header is not
 * there in time.
 */
export function receiveProxyHeader(
  socket: Socket,
  { timeLimitMs, received }: { timeLimitMs: number; received(address: string | null): void },
): void {
  let bytes: Buffer = Buffer.alloc(0)
  const timer = setTimeout(() => socket.destroy(), timeLimitMs)
  const stop = () => {
    clearTimeout(timer)
    socket.off('readable', read)
    socket.off('close', stop)
    socket.off('error', ignore)
  }
  const ignore = () => {}
  function read(): void {
    for (let chunk = socket.read(); chunk !== null; chunk = socket.read()) {
      bytes = Buffer.concat([bytes, chunk as Buffer])
      const header = readProxyHeader(bytes)
      if (header.kind === 'incomplete') continue
      stop()
      if (header.kind === 'invalid') {
        socket.destroy()
        return
      }
      const rest = bytes.subarray(header.length)
      if (rest.length > 0) socket.unshift(rest)
      received(header.address)
      return
    }
  }
  socket.on('readable', read)
  socket.on('close', stop)
  socket.on('error', ignore)
}
