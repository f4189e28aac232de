// Which addresses a connection of this server may go to where a user has given the destination.
import { lookup as systemLookup } from 'node:dns'
import { BlockList, isIP, type LookupFunction } from 'node:net'
import { amongNetworks } from '../../process/networks.ts'

/** Not of the public internet: this machine, its neighbours, its cloud's metadata, and forms that embed such addresses. */
const inside: readonly (readonly [string, number, 'ipv4' | 'ipv6'])[] = [
  ['0.0.0.0', 8, 'ipv4'],
  ['10.0.0.0', 8, 'ipv4'],
  ['100.64.0.0', 10, 'ipv4'],
  ['127.0.0.0', 8, 'ipv4'],
  ['169.254.0.0', 16, 'ipv4'],
  ['172.16.0.0', 12, 'ipv4'],
  ['192.0.0.0', 24, 'ipv4'],
  ['192.0.2.0', 24, 'ipv4'],
  ['192.168.0.0', 16, 'ipv4'],
  ['198.18.0.0', 15, 'ipv4'],
  ['198.51.100.0', 24, 'ipv4'],
  ['203.0.113.0', 24, 'ipv4'],
  ['224.0.0.0', 4, 'ipv4'],
  ['240.0.0.0', 4, 'ipv4'],
  ['::', 96, 'ipv6'],
  ['64:ff9b::', 96, 'ipv6'],
  ['64:ff9b:1::', 48, 'ipv6'],
  ['2001::', 32, 'ipv6'],
  ['2001:db8::', 32, 'ipv6'],
  ['2002::', 16, 'ipv6'],
  ['fc00::', 7, 'ipv6'],
  ['fe80::', 10, 'ipv6'],
  ['fec0::', 10, 'ipv6'],
  ['ff00::', 8, 'ipv6'],
]

/** The destination is an address that the installation does not allow. */
export class AddressNotAllowed extends Error {
  override name = 'AddressNotAllowed'
  constructor() {
    super('the address is not allowed')
  }
}

export type IsAllowed = (address: string) => boolean

/** Tells whether a connection may go to an IP address: to every public one, and to those of the networks (CIDR). */
export function allowingPublicAnd(networks: readonly string[]): IsAllowed {
  const list = new BlockList()
  for (const [network, bits, family] of inside) list.addSubnet(network, bits, family)
  const isGranted = amongNetworks(networks)
  return (address) => {
    const [plain = ''] = address.split('%')
    const family = isIP(plain)
    if (family === 0) return false
    return isGranted(plain) || !list.check(plain, family === 6 ? 'ipv6' : 'ipv4')
  }
}

/**
 * A `lookup` for sockets that fails where a name stands for an address that is not allowed. The socket connects to the
 * very address that was looked at, so a name that changes its address meanwhile gains nothing.
 */
export const guardedLookup =
  (isAllowed: IsAllowed): LookupFunction =>
  (hostname, options, callback) => {
    systemLookup(hostname, { ...options, all: true }, (error, found) => {
      if (error) return callback(error, '')
      const allowed = found.filter(({ address }) => isAllowed(address))
      const [first] = allowed
      if (allowed.length < found.length || first === undefined) return callback(new AddressNotAllowed(), '')
      if (options.all) return callback(null, allowed)
      return callback(null, first.address, first.family)
    })
  }
