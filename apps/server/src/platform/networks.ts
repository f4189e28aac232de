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
