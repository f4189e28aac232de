// Which certificates a list of revoked ones (CRL, RFC 5280) names. OpenSSL checks the list at each handshake; this is
// for the connections that are open when a new list comes.

export interface Revocations {
  serials: bigint[]
  /** When the next list is due, ms; null where the list does not say. */
  nextMs: number | null
}

interface Element {
  tag: number
  from: number
  to: number
}

const tags = { integer: 0x02, sequence: 0x30, utcTime: 0x17, generalizedTime: 0x18 } as const

/** Throws where it is no such list. */
export function readRevocations(pem: string): Revocations {
  const der = Buffer.from(pem.replace(/-----[^-]+-----/g, ''), 'base64')
  const list = elementAt(der, 0)
  const toBeSigned = elementAt(der, list.from)
  const parts = [...within(der, toBeSigned)]
  // version, signature and issuer, thisUpdate, nextUpdate, revokedCertificates: all but the middle ones may be missing.
  const firstTime = parts.findIndex(isTime)
  if (list.tag !== tags.sequence || firstTime < 0) throw new Error('not a list of revoked certificates')
  const following = parts[firstTime + 1]
  const next = following && isTime(following) ? following : undefined
  const revoked = parts.slice(firstTime + 1).find(({ tag }) => tag === tags.sequence)
  return {
    serials: revoked ? [...within(der, revoked)].map((entry) => serialOf(der, entry)) : [],
    nextMs: next ? timeOf(der, next) : null,
  }
}

const isTime = ({ tag }: Element) => tag === tags.utcTime || tag === tags.generalizedTime

function elementAt(der: Buffer, at: number): Element {
  const tag = der.readUInt8(at)
  const first = der.readUInt8(at + 1)
  const lengthBytes = first < 0x80 ? 0 : first & 0x7f
  const length = lengthBytes === 0 ? first : der.readUIntBE(at + 2, lengthBytes)
  const from = at + 2 + lengthBytes
  if (from + length > der.length) throw new RangeError('cut off')
  return { tag, from, to: from + length }
}

function* within(der: Buffer, { from, to }: Element): Generator<Element> {
  for (let at = from; at < to; ) {
    const element = elementAt(der, at)
    yield element
    at = element.to
  }
}

function serialOf(der: Buffer, entry: Element): bigint {
  const { tag, from, to } = elementAt(der, entry.from)
  if (tag !== tags.integer) throw new Error('not a serial number')
  return BigInt(`0x${der.toString('hex', from, to)}`)
}

/** `YYMMDDhhmmssZ` or `YYYYMMDDhhmmssZ`; two digits of a year from 50 on are of the last century. */
function timeOf(der: Buffer, { tag, from, to }: Element): number {
  const text = der.toString('latin1', from, to)
  const full = tag === tags.generalizedTime ? text : `${text < '50' ? '20' : '19'}${text}`
  const [, year, month, day, hour, minute, second] =
    /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)Z$/.exec(full) ?? []
  return Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`)
}
