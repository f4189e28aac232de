import { BlockList, isIPv6 } from 'node:net'

/** Tells whether an address is one of these, or in one of these networks (`10.0.0.0/8`). */
export function amongNetworks(networks: readonly string[]): (address: string) => boolean {
  const list = new BlockList()
  for (const network of networks) {
    const [address = '', bits] = network.split('/')
    const family = isIPv6(address) ? 'ipv6' : 'ipv4'
    if (bits === undefined) list.addAddress(address, family)
    else list.addSubnet(address, Number(bits), family)
  }
  return (address) => networks.length > 0 && list.check(address, isIPv6(address) ? 'ipv6' : 'ipv4')
}

/** IPv4 as such, also where a socket for both versions gives it in the form of IPv6. */
export const plainAddress = (address: string): string => address.replace(/^::ffff:/, '')

/** The key by which a client is counted: its address, or of IPv6 the network of 64 bits that one subscriber has. */
export function networkOf(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1]
  if (mapped) return mapped
  const [plain = ''] = address.split('%')
  if (!isIPv6(plain)) return address
  const [head = '', tail] = plain.toLowerCase().split('::')
  const groups = head === '' ? [] : head.split(':')
  const tailGroups = tail === undefined || tail === '' ? [] : tail.split(':')
  while (tail !== undefined && groups.length + tailGroups.length < 8) groups.push('0')
  const network = [...groups, ...tailGroups].slice(0, 4).map((group) => group.replace(/^0+(?=.)/, ''))
  return `${network.join(':')}::/64`
}
