/**
 * The map link for an address. 高德地图 searches by text and opens its app on a phone that has it, on iOS and Android;
 * `geo:` links do nothing on iOS.
 */
export function mapAddress(regionName: string, address: string): string {
  const [, ...below] = regionName.split(' / ')
  const keyword = `${below.join('')}${address}`
  return `https://uri.amap.com/search?${new URLSearchParams({ keyword, callnative: '1', src: 'voltkeep' })}`
}
